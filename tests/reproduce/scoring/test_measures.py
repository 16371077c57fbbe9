"""Which functions measure the claims of the project's papers, as the driver and the experiments have it."""

import pytest

from paperlib.experiments import claims
from reproduce.library import identifier
from reproduce.paths import Family, Project
from reproduce.planning import traces
from reproduce.scoring import measures
from tests.papers import PAPERS

PROJECT = Project()


@pytest.mark.parametrize("paper", PAPERS)
def test_the_driver_reads_from_the_text_what_the_experiments_measure(paper):
    by_id = claims.of(paper).by_id
    expected = {identifier(claim): measure.tables for claim, measure in by_id.items()}
    assert measures.arguments(PROJECT, paper) == expected


@pytest.mark.parametrize("paper", PAPERS)
def test_a_measure_is_found_in_the_module_where_it_stands(paper):
    trace = traces.read_trace(PROJECT.destination(paper, Family(data="bundled")).folder)
    by_id = claims.of(paper).by_id
    for claim, items, calls in measures.behind(PROJECT, paper, trace):
        functions = [by_id[each].function for each in (claim.id, claim.corrected_id) if each in by_id]
        assert items == [f"{each.__module__}:{each.__name__}" for each in functions]
        assert calls or claim.needs
