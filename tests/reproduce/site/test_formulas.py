"""Formulas in plain text are found, and nothing else is."""

import re
from pathlib import Path

import pytest

from reproduce.scoring import ledger
from reproduce.site.formulas import split

CLAIMS = sorted((Path(__file__).resolve().parents[3] / "reproduce" / "claims").glob("*.toml"))


def found(text):
    return [latex for _, latex in split(text) if latex is not None]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("O((R / rho*)^2 / eps) points", r"O((R/\rho ^*)^{2}/\varepsilon )"),
        ("at least 1 - eps times", r"1-\varepsilon "),
        ("results in O(n^3) (fitted)", "O(n^{3})"),
        ("the e_i outside Q", "e_{i}"),
        ("above W_opt + w_i", r"W_{\mathrm{opt}}+w_{i}"),
        ("sqrt(2 log(1/delta) / n)", r"\sqrt{2\log (1/\delta )/n}"),
        ("O(sqrt N) noise", r"O(\sqrt{N})"),
        ("||Phi(P) - Phi(S)|| is", r"\|\Phi (P)-\Phi (S)\|"),
        ("for f in [-1, 1]^X", "[-1,1]^{X}"),
        ("about M^(c + 1)", "M^{c+1}"),
        ("error is O~(1/eps)", r"\tilde {O}(1/\varepsilon )"),
        ("once <w, z_2> > 0,", r"\langle w, z_{2}\rangle >0"),
        ("with n = 1,000 draws", "n=1{,}000"),
        ("the loss [[y v <= 0]] is", r"[\![yv\le 0]\!]"),
        ("max_j (C - gamma)_+, which", r"\max _{j}(C-\gamma )_{+}"),
        ("a (1 - eps)-approximate one", r"(1-\varepsilon )"),
        ("the gamma-loss", r"\gamma "),
        ("L_D2 > eps", r"L_{D_{2}}>\varepsilon "),
        ("0.15 (+- 0.27)", r"0.15\ (\pm 0.27)"),
        ("1 / (64 x 0.001313) = 11.9", r"1/(64\times 0.001313)=11.9"),
    ],
)
def test_a_formula_is_found(text, latex):
    assert found(text) == [latex]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a point of weight 1 at (0, 0), negative ones at (1, 0)",
        "labels +, -, + and weights 5, 2, 5",
        "the 0-1 risk of a k-sparse approximation, a 2m-sparse one",
        "classifier's error, three-quarters / a half",
        "half of -1/2, i.e. Figure 3 (b)",
        "I and a type II error (see Section 2.1)",
        "9 : 1, 1 / 2, 25 to 300, 8 against the rest",
        "unbalanced ) and ( and ] [",
    ],
)
def test_a_sentence_is_left_alone(text):
    assert found(text) == []
    assert "".join(piece for piece, _ in split(text)) == text


def texts():
    for path in CLAIMS:
        for claim in ledger.load_ledger(path):
            yield from [claim.statement.says, claim.reason, claim.counterexample]
            yield claim.corrected.says if claim.corrected else ""


def test_the_ledgers_keep_every_character_and_make_whole_formulas():
    formulas = []
    for text in texts():
        pieces = split(text)
        assert "".join(piece for piece, _ in pieces) == text
        formulas += [latex for _, latex in pieces if latex is not None]
    assert len(formulas) > 300
    for latex in formulas:
        bare = re.sub(r"\\[{}]", "", latex)
        assert bare.count("{") == bare.count("}"), latex
        assert latex.count("(") == latex.count(")") or re.search(r"[\[\]]", latex), latex
        assert latex.isascii(), latex


@pytest.mark.parametrize(
    "text", ["^", "_", "x^", "x_", "sqrt", "a^(", "((((", "<a, b>", "|" * 99, "x_{", "~", "f~"]
)
def test_fragments_do_no_harm(text):
    assert "".join(piece for piece, _ in split(text)) == text
