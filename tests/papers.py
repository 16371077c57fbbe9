"""The papers, which are the notebooks: a test that goes over all of them takes this list."""

from reproduce.paths import Project

PAPERS = tuple(Project().papers)
