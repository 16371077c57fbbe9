"""Ledgers joined with published results: each claim with its verdict, each measure with its claim."""

from dataclasses import dataclass, field, replace
from typing import Any

from reproduce.errors import hint
from reproduce.library import verdicts
from reproduce.paths import Family
from reproduce.publication import results
from reproduce.scoring import ledger, pooling

STABLE = 0.9  # share of other seeds that have to agree with a verdict that decides
DECIDED = (verdicts.REPRODUCED, verdicts.CORRECTED, verdicts.DIFFERS)


@dataclass(frozen=True)
class Judged:
    """A claim with what was measured for it on each kind of data, and its one verdict."""

    claim: Any  # a Claim of the ledger
    measures: dict  # data -> {id: (value, stderr)}, of all seeds together where they are pooled
    by_data: dict  # data -> verdict
    other_seeds: tuple | None = None  # on bundled data: how many of them share the verdict there, of how many
    pooled: dict = field(default_factory=dict)  # data -> {id: number of seeds that it was measured with}

    @property
    def verdict(self):
        """The worst of all data that it was measured on, if other seeds agree: no result hides another."""
        worst = next((v for v in verdicts.WORST_FIRST if v in self.by_data.values()), verdicts.NOT_RUN)
        hangs_on_seed = self.depends_on_seed and worst == self.by_data["bundled"]
        return verdicts.INCONCLUSIVE if hangs_on_seed else worst

    @property
    def depends_on_seed(self):
        """True if one run on bundled data decides it, and too many other seeds have another verdict."""
        one_run = self.other_seeds is not None and not self.pooled.get("bundled")
        if not one_run or self.by_data.get("bundled") not in DECIDED:
            return False
        same, of = self.other_seeds
        return same < STABLE * of

    @property
    def unexplained(self):
        """The data on which it must hold and does not, is vacuous, or is not what its reason explains."""
        return [data for data, verdict in self.by_data.items() if self._is_alarm(data, verdict)]

    def _is_alarm(self, data, verdict):
        has_a_reason = self.claim.found_on(data) is not None
        if verdict == verdicts.DIFFERS or (verdict == verdicts.REPRODUCED and has_a_reason):
            # A value near the limit has one verdict or the other by the seed, and the reason holds for both.
            return not self._is_as_found(data)
        return verdict == verdicts.VACUOUS

    def _is_as_found(self, data):
        found = self.claim.found_on(data)
        measured = self.measures[data][self.claim.id]
        return bool(found) and verdicts.as_found(self.claim.statement, found, *measured)


@dataclass(frozen=True)
class Judgement:
    """All papers' claims as judged, and the measures that belong to none."""

    family: Family
    judged: dict  # {paper: [Judged]}
    strangers: list  # one line per measure that no ledger row stands for

    @property
    def failed(self):
        """True if there is something that the check must not let pass.

        Only the papers' own parameters are held to the claims. With a reader's own parameters a notebook may
        measure what no ledger foresees.
        """
        unexplained = any(j.unexplained for claims in self.judged.values() for j in claims)
        return (bool(self.strangers) and self.family.overrides is None) or (
            unexplained and self.family.is_the_papers_own
        )


def of_family(project, family):
    """Judge one family of runs; for the papers' own parameters, both kinds of data side by side."""
    ledgers = ledger.load_all(project)
    judged, strangers = {}, []
    for paper in sorted({*ledgers, *project.papers}):
        claims = ledgers.get(paper, [])
        found = results.published(project, paper, family)
        measures = {data: results.measures(content) for data, content in found.items()}
        if claims:
            judged[paper] = of_claims(claims, measures)
            if family.is_the_papers_own:
                judged[paper] = _with_other_seeds(project, paper, judged[paper], family.profile)
        strangers += unknown_measures(paper, claims, measures)
    return Judgement(family, judged, strangers)


def of_claims(claims, measures):
    """Judge every claim of one paper, with `measures` as `{data: {id: (value, stderr)}}`."""
    return [
        Judged(claim, measures, {data: verdicts.verdict(claim, found) for data, found in measures.items()})
        for claim in claims
    ]


def _with_other_seeds(project, paper, judged, profile):
    """Judge rows by all seeds where that can be, and add what each says alone, of runs at the same scale.

    Those of older sources count, too, alone: a claim that failed on them has to be seen to hold first.
    """
    from reproduce import stability  # which judges its seeds by this module

    datas = {data for j in judged for data in j.by_data}
    others = {data: stability.for_judging(project, paper, data, profile) for data in datas}
    judged = [by_all_seeds(j, others) for j in judged]
    bundled = {j.claim.id: j.by_data.get("bundled") for j in judged}
    seeds, _, profile_of_seeds = stability.read_stability(project, paper, shown=bundled)
    if profile_of_seeds != profile:
        return judged
    return [replace(j, other_seeds=seeds[j.claim.id][:2]) if j.claim.id in seeds else j for j in judged]


def by_all_seeds(judged, others):
    """Judge a claim again by all seeds together, with `others` as `{data: {id: OtherSeeds}}`."""
    claim, pooled = judged.claim, {}
    measures, by_data = dict(judged.measures), dict(judged.by_data)
    for data in judged.by_data:
        own, bundled = (others.get(name, {}) for name in (data, "bundled"))
        seeds = bundled if not own and _is_of_no_data(judged, data) else own
        if found := pooling.of_claim(claim, measures[data], seeds):
            measures[data] = measures[data] | found
            by_data[data] = verdicts.verdict(claim, measures[data])
            pooled[data] = {name: seeds[name].counted + 1 for name in found}
    return replace(judged, measures=measures, by_data=by_data, pooled=pooled)


def _is_of_no_data(judged, data):
    """Return whether a claim has the bundled run's digits: one measurement, if of random samples alone."""
    names = [name for name in (judged.claim.id, judged.claim.corrected_id) if name in judged.measures[data]]
    bundled = judged.measures.get("bundled", {})
    return all(judged.measures[data][name] == bundled.get(name) for name in names)


def unknown_measures(paper, claims, measures):
    """Return one line per measure that no ledger row stands for."""
    known = ledger.known_ids(claims)
    strangers = sorted({name for found in measures.values() for name in found} - set(known))
    return [f"{paper}: measured {name!r}, which no ledger has{hint(name, known)}" for name in strangers]
