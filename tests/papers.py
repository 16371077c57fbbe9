"""The papers, which are the notebooks: a test that goes over all of them takes this list."""

from pathlib import Path

from reproduce.paths import Project

PAPERS = tuple(Project(Path(__file__).resolve().parents[1]).papers)
