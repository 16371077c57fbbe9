"""Provenance of results: the same for every run of the same sources."""

import platform
from dataclasses import dataclass

from reproduce.planning import key, traces
from reproduce.publication.committed_values import as_committed
from reproduce.publication.git import git

MODIFIED = "+modified"  # behind a commit, where the tree differs from it


@dataclass(frozen=True)
class Sources:
    """Part of the provenance that all runs of a paper share, determined once."""

    packages: dict
    commit: str | None

    @classmethod
    def of(cls, project, run, folder, known):
        """Return that of a run which left its results in a folder; `known` has those of the runs before."""
        trace = traces.read_trace(folder) if traces.are_written(project) else None
        library = traces.sources(project).files(trace.entered) if trace else key.library_files(project)
        which = run.paper, tuple(library)
        if which not in known:
            known[which] = cls(key.packages(project), source_commit(project, run.notebook, library))
        return known[which]


def provenance_of(run, sources, before):
    """Return the provenance in a run's results.json, which holds no times, host names or paths.

    Parameters
    ----------
    sources : Sources
    before : dict
        The provenance of the results that are published now, which may be empty.
    """
    return {
        "profile": run.family.profile,
        "data": run.family.data,
        "parameters": run.parameters,
        "seed": run.parameters["seed"],
        "packages": sources.packages,
        "python": platform.python_version(),
        # Without the kernel's release, so that the bytes are the same on every machine of a kind.
        "platform": f"{platform.system()}-{platform.machine()}",
        "source_commit": _commit(run, sources, before),
        "key": run.key,
    }


def _commit(run, sources, before):
    # An edit of a comment is a new commit and no new key: the same bytes are made of it, and so this stays.
    was = before.get("source_commit")
    if before.get("key") == run.key and isinstance(was, str) and not was.endswith(MODIFIED):
        return was
    return sources.commit


def source_commit(project, notebook, library):
    """Return the last commit of the run's inputs, with `+modified` where the tree differs from it.

    HEAD would not do: committing the figures would then change them. None outside a git checkout. `library`
    are the files of the modules concerned.
    """
    files = [notebook.path, *library, project.lockfile, project.pyproject]
    inputs = [f":(literal){path.relative_to(project.root).as_posix()}" for path in files]
    commit = git(project, "log", "-1", "--format=%H", "--", *inputs)
    if not commit:
        return None
    status = git(project, "status", "--porcelain", "--untracked-files=all", "--", *inputs[1:])
    clean = status == "" and _is_committed(project, notebook, inputs[0])
    return commit if clean else f"{commit}{MODIFIED}"


def _is_committed(project, notebook, its_path):
    """Return whether the notebook's code is the committed one: JupyterLab saves outputs by itself."""
    if git(project, "status", "--porcelain", "--untracked-files=all", "--", its_path) == "":
        return True
    committed = as_committed(project, notebook)
    return committed is not None and committed.code == notebook.code
