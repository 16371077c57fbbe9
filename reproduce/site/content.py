"""All that the site shows, read from the ledgers, the published results, their evidence and the notebooks."""

from dataclasses import dataclass
from functools import cached_property

from reproduce import reading
from reproduce.errors import InvalidFaults, PageError
from reproduce.power import faults
from reproduce.publication import origin, results
from reproduce.scoring import judgement, quotes, scoreboard
from reproduce.site import exhibits, groups, how_to, notebooks, play, tests_of_claims, ways

MOST = 20  # claims on one page


@dataclass(frozen=True)
class Paper:
    """One paper's part of the site.

    Attributes
    ----------
    judged : list of Judged
    evidence : scoreboard.Evidence
    faults : dict
        `{id: Fault}`.
    groups : list of Group
        Figures and tables, each with the claims about it.
    notebook : notebooks.Shown or None
    datas : list of str
        Kinds of data that have results.
    provenance : dict
        `{data: provenance of its results}`.
    tests : dict
        `{id of a claim: [Test]}`.
    sources : str or None
        The address of the project's files on a code host, if it is known.
    """

    name: str
    title: str
    judged: list
    evidence: object
    faults: dict
    groups: list
    notebook: object
    datas: list
    provenance: dict
    tests: dict
    sources: str | None

    @property
    def is_split(self):
        """Whether its claims are on several pages, one for each group; the paper's page lists them then."""
        return len(self.judged) > MOST

    def address(self, group):
        """Return the address of a group, seen from `claims/`."""
        return f"{self.name}/{group.page}.html" if self.is_split else f"{self.name}.html#shown-{group.page}"

    @cached_property
    def cards(self):
        """Addresses of all claims, seen from `claims/`: `{id: address}`."""
        return {
            j.claim.id: f"{self.address(group).partition('#')[0]}#{j.claim.id}"
            for group in self.groups
            for j in group.judged
        }


@dataclass(frozen=True)
class Content:
    """The whole site.

    Attributes
    ----------
    papers : dict
        `{name: Paper}`.
    strange : list of str
        What does not fit together: measures that no ledger knows, results of other sources.
    how_tos : dict
        `{name: notebook as JSON}`.
    plays : dict
        `{paper: Play}`, the figures with controls.
    """

    title: str
    project: object
    family: object
    papers: dict
    outcome: object
    strange: list
    how_tos: dict
    plays: dict

    @property
    def evidence(self):
        return {name: paper.evidence for name, paper in self.papers.items()}


def load_content(project, family):
    """Read everything; what has not run yet, or was edited, of how-to pages and figures is run now."""
    outcome = judgement.of_family(project, family)
    if family.is_the_papers_own and (wrong := quotes.wrong(project, outcome.judged)):
        raise PageError("\n".join(wrong))
    names = sorted({*outcome.judged, *project.papers})
    papers = {name: _paper(project, family, name, outcome.judged.get(name, [])) for name in names}
    strange = outcome.strangers + origin.notes(project, family)
    ran = how_to.load_how_tos(project), play.load_play(project)
    return Content(_title(project), project, family, papers, outcome, strange, *ran)


def _paper(project, family, name, judged):
    published = results.published(project, name, family)
    folders = {data: project.destination(name, f).folder for data, f in family.by_data.items()}
    shown = exhibits.load_exhibits(project, folders, published)
    evidence = scoreboard.Evidence.of(project, name, judged) if judged else scoreboard.Evidence()
    notebook = notebooks.load_notebooks(project, name, family)
    return Paper(
        name,
        notebooks.title(project.notebook(name)) or name,
        judged,
        evidence,
        _faults(project, name) if evidence.power else {},
        groups.make(name, judged, shown, notebook.beside if notebook else lambda claim: None),
        notebook,
        list(published),
        {data: content.get("provenance", {}) for data, content in published.items()},
        tests_of_claims.read_tests(project, name),
        ways.sources(project),
    )


def _faults(project, paper):
    """Return the faults by their ids; none where the sources have moved on, which the page says then."""
    try:
        return {fault.id: fault for fault in faults.load_faults(project, paper)}
    except InvalidFaults:
        return {}


def _title(project):
    """Return the first heading of the front page, or what the project is called."""
    front = project.docs / "index.md"
    if front.exists():
        lines = reading.text(front).splitlines()
        return next((line[2:].strip() for line in lines if line.startswith("# ")), "paperlib")
    return reading.declared(project.pyproject).get("name", "paperlib")
