"""Groups of figures and tables with the claims about them."""

from dataclasses import dataclass, field

from reproduce.errors import InvalidLedger, hint, shown
from reproduce.site.exhibits import titled
from reproduce.site.markup import slug

OTHERS = "other-figures-and-tables"


@dataclass
class Group:
    """Exhibits that belong together, with the claims about them."""

    name: str  # of the first exhibit; empty for claims without one, OTHERS for exhibits without claims
    exhibits: list = field(default_factory=list)
    judged: list = field(default_factory=list)

    @property
    def title(self):
        """Heading of the group on a page."""
        return {"": "Without a figure or table", OTHERS: "Other figures and tables"}.get(
            self.name, titled(self.name)
        )

    @property
    def page(self):
        """Name of its own page, where a paper's claims are on several."""
        return slug(self.name) or "nowhere"


def make(paper, judged, exhibits, beside=lambda claim: None):
    """Return groups in the order of the claims, then claims without an exhibit, then all other exhibits.

    Parameters
    ----------
    judged : list of Judged
    exhibits : dict
        `{name: Exhibit}`.
    beside : callable
        Returns the exhibit near which the notebook measures the claim of that id, or None. It decides where
        neither the ledger nor the id names one.
    """
    groups = {root: Group(root) for root in map(_root(exhibits), exhibits)}
    for name, exhibit in exhibits.items():
        groups[_root(exhibits)(name)].exhibits.append(exhibit)
    for group in groups.values():
        group.exhibits.sort(key=lambda exhibit: exhibit.name != group.name)
    with_claims, alone = {}, Group("")
    for j in judged:
        about = _about(paper, j.claim, exhibits, beside)
        group = groups[_root(exhibits)(about)] if about else alone
        group.judged.append(j)
        if about:
            with_claims[group.name] = group
    rest = [exhibit for group in groups.values() if not group.judged for exhibit in group.exhibits]
    others = [Group(OTHERS, rest)] if rest else []
    return [*with_claims.values(), *([alone] if alone.judged else []), *others]


def _root(exhibits):
    """Return a function that finds the exhibit above another: `table-1` for `table-1-descent`."""

    def root(name):
        return min((n for n in exhibits if n == name or name.startswith(f"{n}-")), key=len)

    return root


def _about(paper, claim, exhibits, beside):
    if claim.shown:
        if exhibits and claim.shown not in exhibits:
            raise InvalidLedger(
                f"{paper}.toml, claim {claim.id}: shown must name a figure or a table of {paper}, "
                f"got {shown(claim.shown)}{hint(claim.shown, exhibits)}"
            )
        return claim.shown if exhibits else None
    begins = [n for n in exhibits if claim.id == n or claim.id.startswith((f"{n}.", f"{n}-", f"{n}_"))]
    near = beside(claim.id)
    return max(begins, key=len, default=near if near in exhibits else None)
