"""Published results as an RO-Crate: a folder that says of each file what it is and which run made it.

Each run of a notebook is an action, as the profile "Process Run Crate" has it: with the notebook, the values
of its parameters, the checksums of its data and the versions of the packages. The same results make the same
bytes.
"""

import re
import shutil
from pathlib import Path

from reproduce import reading
from reproduce.errors import UsageError
from reproduce.paths import Family
from reproduce.publication import notebook, results

RUN = "https://w3id.org/ro/wfrun/process/0.5"
TYPES = {  # IANA's names of what is published
    ".csv": "text/csv",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
}
MEANINGS = {
    results.NAME: "what was measured for each claim, and how the results were made",
    notebook.NAME: "the notebook as it ran",
    "trace.json": "the functions that made the results, and the step behind each table",
    "SCOREBOARD.md": "each statement of the papers with what was measured, and the verdict",
    "scoreboard.json": "the same for programs",
    "scoreboard.schema.json": "JSON Schema of scoreboard.json",
}


def write_crate(project, folder):
    """Write the crate of all published results into a new folder; return the number of files and of runs.

    Raises
    ------
    UsageError
        Where the folder has something in it, nothing is published, or `rocrate` is not installed.
    """
    try:
        from rocrate.rocrate import ROCrate
    except ImportError:
        raise UsageError("a crate needs rocrate: `pip install '.[crate]'`") from None
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} must be a new or an empty folder")
    found = {paper: results.published(project, paper, Family()) for paper in project.papers}
    if not any(found.values()):
        raise UsageError(f"nothing is published in {project.figures}: `python -m reproduce run` comes first")
    crate = _Crate(project, ROCrate(version="1.1"))  # which the profile of runs builds on
    crate.of_project()
    for paper, by_data in found.items():
        for data, content in by_data.items():
            crate.run(paper, data, content)
    part = folder.resolve().with_name(f".{folder.resolve().name}.part")
    shutil.rmtree(part, ignore_errors=True)  # of a call that was killed
    crate.itself.write(part)
    part.replace(folder)
    return len(crate.files), sum(map(len, found.values()))


class _Crate:
    def __init__(self, project, itself):
        self.project, self.itself, self.files = project, itself, {}

    def of_project(self):
        """Describe the whole, and add what belongs to no single run."""
        citation = _citation(self.project)
        crate = self.itself
        crate.name = citation.get("title", self.project.root.name)
        crate.description = (
            "Figures, tables and measures that notebooks made anew, each claim with its verdict."
        )
        crate.datePublished = citation.get("date-released", "1970-01-01")
        crate.license = self.entity(
            f"https://spdx.org/licenses/{citation.get('license', 'NOASSERTION')}",
            "CreativeWork",
            name="licence",
        )
        profile = self.entity(RUN, ["CreativeWork", "Profile"], name="Process Run Crate", version="0.5")
        crate.root_dataset.append_to("conformsTo", profile)
        top = [self.project.root / name for name in ("README.md", "LICENSE", "CITATION.cff")]
        boards = [self.project.figures / name for name in MEANINGS]
        ledgers = sorted(self.project.claims.glob("*.toml"))
        for path in [*top, self.project.lockfile, *boards, *ledgers]:
            if path.is_file():
                self.file(path)

    def run(self, paper, data, content):
        """Add a run: its notebook, what it was given, and what it left."""
        folder = self.project.destination(paper, Family(data=data)).folder
        made = content.get("provenance", {})
        left = [self.file(path) for path in sorted(folder.iterdir()) if path.is_file()]
        own = f"#{paper}-{data}"
        values = {**made.get("parameters", {}), "data": data}
        given = [
            self.entity(f"{own}-{name}", "PropertyValue", name=name, value=_plain(value))
            for name, value in values.items()
        ]
        for each in content["data"]:
            name, digest = each["name"], each["sha256"]
            given.append(self.entity(f"#data-{name}-{digest[:16]}", "Dataset", name=name, sha256=digest))
        source = self.file(self.project.notebook(paper), types=["File", "SoftwareSourceCode"])
        versions = {"Python": made.get("python"), **made.get("packages", {})}
        source.append_to(
            "softwareRequirements",
            [
                self.entity(f"#{name}-{version}", "SoftwareApplication", name=name, softwareVersion=version)
                for name, version in versions.items()
                if version
            ],
        )
        origin = (f"{name} {made[name]}" for name in ("source_commit", "platform", "key") if made.get(name))
        properties = {"name": f"{paper} on {data} data", "description": ", ".join(origin)}
        action = self.itself.add_action(source, own, object=given, result=left, properties=properties)
        self.itself.root_dataset.append_to("mentions", action)

    def file(self, path, types="File"):
        """Add a file of the project once, under its path there."""
        name = path.relative_to(self.project.root).as_posix()
        if name not in self.files:
            properties = {
                "@type": types,
                "name": path.name,
                "encodingFormat": TYPES.get(path.suffix, "text/plain"),
            }
            if path.name in MEANINGS:
                properties["description"] = MEANINGS[path.name]
            self.files[name] = self.itself.add_file(path, name, properties=properties, record_size=True)
        return self.files[name]

    def entity(self, identifier, types, **properties):
        """Add what is no file once."""
        from rocrate.model.contextentity import ContextEntity

        found = self.itself.dereference(identifier)
        return found or self.itself.add(
            ContextEntity(self.itself, identifier, properties={"@type": types, **properties})
        )


def _citation(project):
    """Return the plain fields of CITATION.cff, where there is one."""
    path = project.root / "CITATION.cff"
    if not path.is_file():
        return {}
    lines = re.findall(r"^([\w-]+): *(\S.*)$", reading.text(path), re.MULTILINE)
    return {name: value.strip().strip('"') for name, value in lines}


def _plain(value):
    return value if isinstance(value, str | int | float) else str(value)
