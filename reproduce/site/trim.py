"""Style sheets without what no page uses: the theme's holds all of Bootstrap and two thousand icons."""

import re

CLASS = re.compile(r"\.((?:[\w-]|\\.)+)")
NAMES = re.compile(r"[\w:-]+")
REFERENCE = re.compile(r"var\(\s*(--[\w-]+)")
# Bootstrap's script has the names of all its parts. Of those that pages have here, a drop-down menu and a
# hint that floats, it gives these to elements.
BOOTSTRAP = "active collapse collapsing disabled dropdown fade hide show tooltip tooltip-arrow tooltip-inner"
FLOATING = "bs-tooltip-auto bs-tooltip-bottom bs-tooltip-end bs-tooltip-start bs-tooltip-top"
# Rules of these hold other rules.
NESTED = {"media", "supports", "layer", "container"}


def styles(folder):
    """Rewrite the style sheets of a site without the rules and variables that nothing in it uses."""
    used = _names(folder)
    trimmed = {
        path: _trimmed(path.read_text(encoding="utf-8"), used) for path in (folder / "_static").rglob("*.css")
    }
    used |= _variables(folder, trimmed.values())
    for path, text in trimmed.items():
        path.write_text(_trimmed(text, used, variables=True), encoding="utf-8")


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


def _variables(folder, styles):
    """Return the variables that a style sheet, a page or a script asks for."""
    found = {name for text in styles for name in REFERENCE.findall(text)}
    for path in folder.rglob("*.html"):
        found.update(REFERENCE.findall(path.read_text(encoding="utf-8")))
    for path in (folder / "_static").rglob("*.js"):
        if "mathjax" not in path.parts:
            found.update(n for n in NAMES.findall(path.read_text(encoding="utf-8")) if n.startswith("--"))
    return found


def _trimmed(text, used, variables=False):
    import tinycss2

    sheet = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    return "".join(_kept(sheet, used, variables))


def _kept(rules, used, variables):
    import tinycss2

    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = _selectors(tinycss2.serialize(rule.prelude), used)
            content = _declarations(rule.content, used) if variables else tinycss2.serialize(rule.content)
            if selectors and content.strip():
                yield f"{selectors}{{{content.strip()}}}\n"
        elif rule.type == "at-rule" and rule.at_keyword in NESTED and rule.content is not None:
            inner = "".join(
                _kept(
                    tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True),
                    used,
                    variables,
                )
            )
            if inner:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{\n{inner}}}\n"
        elif rule.type == "at-rule" and rule.at_keyword != "font-face":
            yield f"{rule.serialize()}\n"


def _declarations(content, used):
    """Return what a rule sets, without the variables that nothing asks for."""
    import tinycss2

    found = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
    kept = [one for one in found if not getattr(one, "name", "").startswith("--") or one.name in used]
    return "".join(one.serialize() + ";" * (one.type == "declaration") for one in kept).removesuffix(";")


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
