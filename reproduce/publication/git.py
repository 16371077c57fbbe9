"""Questions to git about a project's folder."""

import subprocess


def git(project, *args):
    """Return the output of a git command, None where it fails or the folder is in no checkout."""
    # Without optional locks, `git status` does not write the index, in the way of a git that the user runs.
    command = ["git", "--no-optional-locks", "-C", str(project.root), *args]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def committed(project, path):
    """Return the text of a file of the project as it is committed, or None where it is not."""
    return git(project, "show", f"HEAD:./{path.relative_to(project.root).as_posix()}")
