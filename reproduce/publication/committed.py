"""Comparison of results that were made here with those that are committed, which another machine made."""

from reproduce.publication import git, record, results

MOST = 5  # measures of a paper that are listed


def notes(project, family):
    """Return a line for each paper that was run here: the same results as committed, or what moved.

    Nothing outside a git checkout, for runs that are not committed, and where none was made here.
    """
    if not family.is_the_papers_own:
        return []
    same, found = [], []
    for paper in project.papers:
        for data, one in family.by_data.items():
            destination = project.destination(paper, one)
            made = record.read_record(project, destination)
            here = results.read_results(destination.folder)
            if made is None or here is None:
                continue
            before = _committed(project, destination.folder / results.NAME)
            if before is None or before["provenance"].get("key") != here.get("provenance", {}).get("key"):
                continue  # of other sources: there is nothing to compare
            name = paper if data == "bundled" else f"{paper}, {data} data"
            moved = _moved(before, here)
            other = _other_files(project, destination.folder)
            if moved or other:
                found.append(
                    f"{name}: {', '.join(moved + other)}, on {made.get('processor', 'this processor')}"
                )
            else:
                same.append(name)
    if same:
        found.insert(0, f"The same results as committed: {'; '.join(same)}")
    return found


def _committed(project, path):
    try:
        content = results.of_text(git.committed(project, path) or "")
    except ValueError:
        return None
    return content if "provenance" in content else None


def _moved(before, here):
    """Return a few words for each measure that has another value."""
    was, now = results.measures(before), results.measures(here)
    other = [name for name in {**was, **now} if repr(was.get(name)) != repr(now.get(name))]
    words = [f"{name} {_value(was.get(name))} -> {_value(now.get(name))}" for name in other[:MOST]]
    return words + ([f"and {len(other) - MOST} more measures"] if len(other) > MOST else [])


def _value(measure):
    if measure is None:
        return "none"
    return f"{measure.value:.10g}" + (f" ± {measure.stderr:.10g}" if measure.stderr else "")


def _other_files(project, folder):
    """Return a few words about the other files that git sees changed."""
    where = folder.relative_to(project.root).as_posix()
    listed = (git.git(project, "status", "--porcelain", "--", f":(literal){where}") or "").splitlines()
    names = [line.split("/")[-1].strip('"') for line in listed if not line.endswith(results.NAME)]
    return [f"other bytes in {', '.join(names[:MOST])}{' ...' if len(names) > MOST else ''}"] if names else []
