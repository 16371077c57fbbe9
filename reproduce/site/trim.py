"""Style sheets without what no page uses: the theme's holds all of Bootstrap and two thousand icons."""

import re

CLASS = re.compile(r"\.((?:[\w-]|\\.)+)")
NAMES = re.compile(r"[\w:-]+")
# Bootstrap's script has the names of all its parts. Of those that pages have here, a drop-down menu and a
# hint that floats, it gives these to elements.
BOOTSTRAP = "active collapse collapsing disabled dropdown fade hide show tooltip tooltip-arrow tooltip-inner"
FLOATING = "bs-tooltip-auto bs-tooltip-bottom bs-tooltip-end bs-tooltip-start bs-tooltip-top"
# Rules of these hold other rules.
NESTED = {"media", "supports", "layer", "container"}


def styles(folder):
    """Rewrite the style sheets of a site without the rules of classes that occur nowhere in it."""
    used = _names(folder)
    for path in (folder / "_static").rglob("*.css"):
        path.write_text(_trimmed(path.read_text(encoding="utf-8"), used), encoding="utf-8")


def _names(folder):
    """Return every word of the pages' tags and of the scripts, which give classes to elements too."""
    found = {*BOOTSTRAP.split(), *FLOATING.split()}
    for path in folder.rglob("*.html"):
        for tag in re.findall(r'class="([^"]*)"', path.read_text(encoding="utf-8")):
            found.update(tag.split())
    for path in (folder / "_static").rglob("*.js"):
        if "mathjax" not in path.parts and path.name != "bootstrap.js":
            found.update(NAMES.findall(path.read_text(encoding="utf-8")))
    return found


def _trimmed(text, used):
    import tinycss2

    return "".join(_kept(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), used))


def _kept(rules, used):
    import tinycss2

    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = _selectors(tinycss2.serialize(rule.prelude), used)
            if selectors:
                yield f"{selectors}{{{tinycss2.serialize(rule.content).strip()}}}\n"
        elif rule.type == "at-rule" and rule.at_keyword in NESTED and rule.content is not None:
            inner = "".join(
                _kept(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), used)
            )
            if inner:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{\n{inner}}}\n"
        elif rule.type == "at-rule" and rule.at_keyword != "font-face":
            yield f"{rule.serialize()}\n"


def _selectors(prelude, used):
    """Return the selectors of a rule that may match: each class outside of :not() and :is() occurs."""
    kept = [one for one in _parts(prelude) if all(name in used for name in _classes(one))]
    return ",".join(kept)


def _classes(selector):
    flat = selector
    while True:
        shorter = re.sub(r":(?:not|is|where|has)\([^()]*\)", "", flat)
        if shorter == flat:
            break
        flat = shorter
    flat = re.sub(r"\([^()]*\)|\[[^\]]*\]", "", flat)
    return [name.replace("\\", "") for name in CLASS.findall(flat)]


def _parts(prelude):
    """Split a list of selectors at the commas that are not in brackets."""
    depth, start, parts = 0, 0, []
    for i, character in enumerate(prelude):
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            parts.append(prelude[start:i].strip())
            start = i + 1
    return [*parts, prelude[start:].strip()]
