"""The reference of the library: a page for each public name, in the groups of `docs/reference.toml`."""

from dataclasses import dataclass

from reproduce import reading
from reproduce.errors import UsageError

NAME = "reference.toml"
KINDS = {  # of an entry -> the directive that documents it
    "class": ".. autoclass:: {name}\n   :members:\n",
    "function": ".. autofunction:: {name}\n",
    "module": ".. automodule:: {name}\n   :members:\n",
}
FORM = {"group": [{"title": str, "about": str, **{f"{kind}?": [str] for kind in KINDS}}]}


@dataclass(frozen=True)
class Group:
    """Names that serve one purpose."""

    title: str
    about: str
    names: tuple  # of (dotted name, kind)


def groups(project):
    """Return the groups of names in the file's order; none without such a file."""
    path = project.docs / NAME
    if not path.exists():
        return []
    try:
        rows = reading.typed(reading.toml(path), FORM)["group"]
        return [Group(row["title"], row["about"], tuple(_names(row))) for row in rows]
    except ValueError as error:
        raise UsageError(f"docs/{NAME}: {error}") from None


def _names(row):
    for kind in KINDS:
        yield from ((name, kind) for name in row.get(kind, []))


def write_reference(folder, project):
    """Write the pages, and return whether there are any."""
    found = groups(project)
    if not found:
        return False
    folder.mkdir(parents=True)
    lines = ["# Reference", ""]
    for group in found:
        names = [name for name, _ in group.names]
        lines += [f"## {group.title}", "", group.about, ""]
        lines += ["```{eval-rst}", ".. autosummary::", "   :nosignatures:", ""]
        lines += [f"   ~{name}" for name in names]
        lines += ["```", "", "```{toctree}", ":hidden:", "", *names, "```", ""]
        for name, kind in group.names:
            short = name.removeprefix("paperlib.") if kind == "module" else name.rpartition(".")[2]
            text = f"# {short}\n\n```{{eval-rst}}\n{KINDS[kind].format(name=name)}```\n"
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
    return True
