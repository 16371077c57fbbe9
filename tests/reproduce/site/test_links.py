"""Links to files of the repository, as they are on the site."""

import pytest

from reproduce.site import links


@pytest.mark.parametrize(
    ("page", "link", "there"),
    [
        ("docs/index.md", "[a](../figures/coresets/notebook.ipynb)", "[a](notebooks/coresets.ipynb)"),
        ("docs/index.md", "[a](../notebooks/coresets.ipynb)", "[a](notebooks/coresets.ipynb)"),
        ("docs/index.md", "[a](../figures/SCOREBOARD.md#coresets)", "claims/index.html#coresets"),
        ("docs/index.md", "![a](../figures/coresets/sizes.png)", "![a](pictures/coresets--sizes.webp)"),
        ("docs/index.md", "[a](how_to)", "[a](how_to/index.md)"),
        ("docs/index.md", "[a](../CONTRIBUTING.md#a-sixth-paper)", "[a](sixth_paper.md)"),
        ("docs/index.md", "[a](../CONTRIBUTING.md)", "a"),
        ("docs/library.md", "[a](how_to/thinning.md)", "[a](how_to/thinning.ipynb)"),
        ("docs/library.md", "[a](how_to/missing.md#x)", "a"),
        ("docs/library.md", "[a](estimators.md#weights)", "[a](estimators.md#weights)"),
        ("docs/how_to/other.md", "[a](thinning.md)", "[a](thinning.ipynb)"),
        ("docs/how_it_works/x.md", "[a](../../reproduce/claims/max_loss.toml)", "[a](../claims/max_loss.md)"),
        ("docs/how_it_works/x.md", "[a](../../reproduce/claims/p.toml#lemma-1)", "../claims/p.html#lemma-1"),
        (
            "docs/how_it_works/x.md",
            "[a](../../paperlib/coresets/coreset_svc.py#CoresetSVC)",
            "[a](../reference/paperlib.coresets.CoresetSVC.md)",
        ),
        ("docs/index.md", "[a](https://a.example/b.md)", "[a](https://a.example/b.md)"),
        ("docs/index.md", "[a](#below)", "[a](#below)"),
        ("docs/how_it_works/x.md", "![a](x-1.svg)", "![a](x-1.svg)"),
    ],
)
def test_a_link(page, link, there):
    found = links.of_site(f"before {link} after", page, {"thinning"})
    assert found.startswith("before ") and found.endswith(" after") and there in found
    if not there.startswith(("claims", "../claims")):
        assert found == f"before {there} after"


def test_how_tos_that_are_not_there():
    assert links.of_site("[a](how_to)", "docs/library.md") == "a"


def test_a_page_that_lies_elsewhere_in_the_repository():
    text = "[a](figures/BENCHMARKS.md), [b](docs/data.md), [c](README.md)"
    assert links.of_site(text, "CONTRIBUTING.md", at="docs/x.md") == "[a](benchmarks.md), [b](data.md), c"
