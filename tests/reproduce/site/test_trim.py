"""Style sheets without what no page uses."""

import pytest

from reproduce.site import trim

SHEET = """
/* a comment */
:root { --kept: 1px; --dropped: 2px; --by-script: 3px; --by-page: url("data:a;b"); }
.shown { margin: var( --kept, 0 ); --only: 4px }
.hidden { color: red }
.variables { --nothing: 5px }
@media print { .shown:not(.hidden) { --dropped: 6px; content: "a;b"; } .hidden, p { color: blue } }
@font-face { font-family: icons }
"""


@pytest.fixture
def trimmed(tmp_path):
    static = tmp_path / "_static"
    static.mkdir()
    (static / "a.css").write_text(SHEET)
    (static / "a.js").write_text('getComputedStyle(e).getPropertyValue("--by-script")')
    page = '<p class="shown variables" style="background: var(--by-page)">hidden --nothing</p>'
    (tmp_path / "index.html").write_text(page)
    trim.styles(tmp_path)
    return (static / "a.css").read_text()


def test_what_a_page_uses_is_kept(trimmed):
    for kept in (
        "--kept: 1px",
        "--by-script: 3px",
        '--by-page: url("data:a;b")',
        "margin: var( --kept, 0 )",
        'content: "a;b"',
        "p{color: blue}",
        "@media print",
    ):
        assert kept in trimmed


def test_what_no_page_uses_is_dropped(trimmed):
    for dropped in ("--dropped", "--only", "red", ".variables", "font-face", "comment"):
        assert dropped not in trimmed


def test_trimming_twice_changes_nothing(trimmed, tmp_path):
    trim.styles(tmp_path)
    assert (tmp_path / "_static" / "a.css").read_text() == trimmed
