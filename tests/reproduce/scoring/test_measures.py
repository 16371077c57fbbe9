"""Which functions measure the claims of the project's papers, as the driver and the experiments have it."""

import pytest

from paperlib.experiments import claims
from reproduce.library import identifier
from reproduce.paths import Family, Project
from reproduce.planning import traces
from reproduce.scoring import measures

PROJECT = Project()
WITH_STEPS = [paper for paper in PROJECT.papers if traces.has_steps(PROJECT, paper)]


@pytest.mark.parametrize("paper", WITH_STEPS)
def test_the_driver_reads_from_the_text_what_the_experiments_measure(paper):
    by_id = claims.of(paper).by_id
    expected = {identifier(claim): measure.tables for claim, measure in by_id.items()}
    assert measures.arguments(PROJECT, paper) == expected


@pytest.mark.parametrize("paper", WITH_STEPS)
def test_a_measure_is_found_in_the_module_where_it_stands(paper):
    trace = traces.read(PROJECT.destination(paper, Family(data="bundled")).folder)
    if not trace.tables:
        pytest.skip("the committed results are older than the steps of this paper")
    by_id = claims.of(paper).by_id
    for claim, items, calls in measures.behind(PROJECT, paper, trace):
        functions = [by_id[each].function for each in (claim.id, claim.corrected_id) if each in by_id]
        assert items == [f"{each.__module__}:{each.__name__}" for each in functions]
        assert calls or claim.needs
