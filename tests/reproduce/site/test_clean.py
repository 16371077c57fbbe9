"""Scripts in committed notebooks and figures do not reach the published pages; what is no script does."""

import json
import re

import pytest

from reproduce.site import clean

IMAGE = "data:image/png;base64,iVBORw0KGgo="
OF_HTML = {
    "script": "<p>kept</p><script>pwned()</script>",
    "script in odd case, not closed": "<p>kept</p><ScRiPt src=//pwned",
    "handler": '<p onclick="pwned()">kept</p>',
    "picture with a handler": "<p>kept</p><img src=x onerror=pwned()>",
    "link to a script": '<a href="javascript:pwned()">kept</a>',
    "link that hides it": '<a href="&#106;ava\tscript:pwned()">kept</a>',
    "link to data": '<a href="data:text/html,<script>pwned()</script>">kept</a>',
    "frame": "<p>kept</p><iframe srcdoc='<script>pwned()</script>'></iframe>",
    "object": "<p>kept</p><object data='pwned.swf'></object><embed src=pwned.swf>",
    "form": "<p>kept</p><form action=//pwned><button formaction=javascript:pwned()></button></form>",
    "style": "<p style=\"background: url('//pwned')\">kept</p><style>@import '//pwned'</style>",
    "SVG within": "<p>kept</p><svg onload=pwned()><animate onbegin=pwned() attributeName=x></svg>",
    "foreign content": "<p>kept</p><math><mtext><table><mglyph><style><img src=x onerror=pwned()>",
    "page that goes elsewhere": "<p>kept</p><meta http-equiv=refresh content='0;//pwned'><base href=//pwned>",
    "names that scripts look up": "<p id=pwned name=pwned data-bs-toggle=pwned>kept</p>",
}
OF_SVG = {
    "script": "<script>pwned()</script>",
    "script of XHTML": '<x:script xmlns:x="http://www.w3.org/1999/xhtml">pwned()</x:script>',
    "script of another prefix": '<s:script xmlns:s="http://www.w3.org/2000/svg">pwned()</s:script>',
    "handler": '<rect onload="pwned()" onClick="pwned()"/>',
    "page within": "<foreignObject><p onclick='pwned()'>x</p></foreignObject>",
    "link": '<a xlink:href="javascript:pwned()"><text>x</text></a>',
    "use of another file": '<use href="//pwned.svg#x"/><use xlink:href="data:image/svg+xml;base64,pwned#x"/>',
    "picture that is a drawing": '<image xlink:href="data:image/svg+xml,pwned"/><image href="//pwned.png"/>',
    "link that is animated": '<set attributeName="href" to="javascript:pwned()"/>',
    "style that loads": "<style>@import '//pwned'; * { fill: url( '//pwned' ) }</style>",
    "style that loads without url()": "<style>* { mask-image: image-set('//pwned' 1x) }</style>",
    "style of a shape that does": "<rect style='mask: SRC(\"//pwned\")' mask='image(&quot;//pwned&quot;)'/>",
    "style in disguise": '<rect style="fill: u\\72l(//pwned)" fill="url(//pwned#a)"/>',
    "handler of XML events": '<handler xmlns="http://www.w3.org/2001/xml-events">pwned()</handler>',
    "base of addresses": '<g xml:base="//pwned"/>',
    "filter": '<filter id="a"><feImage href="//pwned"/></filter>',
}
DIRECTIVES = [
    "{button-link} javascript:pwned()\nkept",
    "{image} https://example.org/x.png\n:target: javascript:pwned()",
    "{raw} html\n<script>pwned()</script>",
    "{eval-rst}\n.. role:: html(raw)\n   :format: html\n\n:html:`<script>pwned()</script>`",
    "{eval-rst}\n.. meta::\n   :http-equiv=refresh: 0;url=//pwned",
]
DRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">'
    '<!-- a title --><defs><style type="text/css">*{{stroke-linejoin: round}}</style>'
    '<clipPath id="p"><rect width="9"/></clipPath></defs>'
    f'<image xlink:href="{IMAGE}"/><g clip-path="url(#p)" style="fill: url( &quot;#h&quot; )">'
    '<use xlink:href="#m" x="1"/></g>{}<text>kept</text></svg>'
)


@pytest.mark.parametrize("text", OF_HTML.values(), ids=OF_HTML)
def test_html_keeps_its_text_and_no_script(text):
    cleaned = clean.html(text)
    assert "pwned" in text and "kept" in cleaned
    assert "pwned" not in cleaned


def test_html_of_tables_is_as_it_was():
    for text in (
        '<table class="dataframe"><thead><tr style="text-align:right"><th></th><th colspan="2">a</th></tr>'
        '</thead><tbody><tr><th rowspan="2" valign="top">b</th><td style="text-align:left">1 &lt; 2</td></tr>'
        "</tbody></table>",
        '<p><a href="https://example.org/?a=1&amp;b=2">one</a>, <a href="../claims/a.html#b">two</a></p>',
    ):
        assert clean.html(text) == text


@pytest.mark.parametrize("text", OF_SVG.values(), ids=OF_SVG)
def test_a_drawing_keeps_its_shapes_and_no_script(text):
    assert "pwned" in text
    cleaned = clean.svg(DRAWN.format(text))
    assert "pwned" not in cleaned
    for kept in (
        ">kept</text>", IMAGE, 'clip-path="url(#p)"', 'xlink:href="#m"', "stroke-linejoin: round",
        'viewBox="0 0 9 9"', 'style="fill: url( &quot;#h&quot; )"',
    ):  # fmt: skip
        assert kept in cleaned
    assert clean.svg(cleaned) == cleaned


@pytest.mark.parametrize(
    "prolog",
    [
        '<?xml-stylesheet href="data:text/xsl,pwned"?>',
        '<!DOCTYPE svg [<!ATTLIST svg onload CDATA "pwned()">]>',
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://pwned.dtd">',
    ],
)
def test_what_stands_before_a_drawing_is_left_out(prolog):
    cleaned = clean.svg(prolog + DRAWN.format(""))
    assert "pwned" not in cleaned and cleaned.startswith("<svg ")


@pytest.mark.parametrize(
    "text",
    ["", "no drawing", "<svg>", "<html/>", b"\xff\xfe", '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>'],
)
def test_what_is_no_drawing_is_an_error(text):
    with pytest.raises(ValueError):
        clean.svg(text)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:x",
        " JavaScript:x",
        "java\nscript:x",
        "\x01javascript:x",
        "vbscript:x",
        "data:text/html,x",
        "http://[",
    ],
)
def test_addresses_of_scripts_are_known(address):
    assert clean.scheme(address) not in clean.SCHEMES


@pytest.mark.slow
def test_no_script_of_a_notebook_or_a_figure_is_on_the_site(published, site_of):
    name = "figures/alpha/notebook.ipynb"
    content = json.loads(published.read(name))
    vectors = [*OF_HTML.values(), *(DRAWN.format(text) for text in OF_SVG.values())]
    outputs = [{"text/html": text, "text/plain": "x"} for text in vectors]
    outputs += [{"text/html": text.splitlines(True), "text/markdown": text} for text in vectors]
    outputs += [{"image/svg+xml": DRAWN.format(text)} for text in OF_SVG.values()]
    outputs += [{"text/markdown": text} for text in OF_HTML.values()]
    outputs += [{"application/javascript": "pwned()"}, {"image/svg+xml": "<svg onload='pwned()'"}]
    outputs += [{"application/vnd.pwned+json": {"pwned": 1}, "text/plain": "kept"}]
    cell = published.computed(
        "1", *(published.display() | {"data": data, "metadata": {}} for data in outputs)
    )
    prose = [published.prose(text) for text in OF_HTML.values()]
    prose += [published.prose(f"```{text}\n```") for text in DIRECTIVES]
    more = [cell, *prose, published.prose("H<sub>2</sub>O")]
    content["cells"] += [one | {"id": f"more-{i}"} for i, one in enumerate(more)]
    published.write(name, json.dumps(content))
    published.write("figures/alpha/figure-1.svg", DRAWN.format("".join(OF_SVG.values())))
    done = published.call("site")
    assert done.code == 0, done
    site = site_of(published.root / "build" / "site")
    files = [path for kind in ("html", "svg") for path in site.folder.rglob(f"*.{kind}")]
    assert len([path for path in files if path.suffix == ".svg"]) > 3  # many are the same, once cleaned
    found = {path.name: hit for path in files if (hit := re.search(r".{0,80}pwned.{0,40}", path.read_text()))}
    assert found == {}
    page = site.page("notebooks/alpha.html")
    assert page.words.count("kept") > 3 * len(OF_HTML)
    assert "<sub>2</sub>" in page.html


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "text",
    [
        "```{include} FILE\n```",
        "```{literalinclude} FILE\n```",
        "```{raw} html\n:file: FILE\n```",
        "```{csv-table}\n:file: FILE\n```",
        "```{eval-rst}\n.. include:: FILE\n```",
        "{download}`x <FILE>`",
        "![x](FILE)",
        "```{image} FILE\n```",
        "```{figure} /FILE\nx\n```",
    ],
)
def test_no_file_of_the_machine_is_on_the_site(published, tmp_path, text):
    name = "figures/alpha/notebook.ipynb"
    content = json.loads(published.read(name))
    (tmp_path / "secret.png").write_text("a key")
    source = text.replace("FILE", f"{'../' * 30}{tmp_path}/secret.png")
    content["cells"] += [published.prose(source) | {"id": "more"}]
    published.write(name, json.dumps(content))
    done = published.call("site")
    assert done.code == 1 and "the site was not published" in done.err, done
    assert not (published.root / "build/site").exists()
