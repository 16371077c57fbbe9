"""Sphinx's configuration of the site, which loads nothing from anywhere else."""

import importlib.util
from importlib import metadata
from pathlib import Path

from reproduce.errors import UsageError

PAGE = Path(__file__).resolve().parent / "page"  # templates, style sheet and scripts
PREVIEW = "_static/preview.png"  # what links to the site are shown with
MATHJAX = "mathjax/tex-svg.js"  # one file, fonts included
EXTENSIONS = [
    "myst_nb",
    "numpydoc",
    "reproduce.site.found",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
MATHJAX_OPTIONS = {
    # Without the menu, every formula would not be a stop of the keyboard.
    "options": {"enableMenu": False, "menuOptions": {"settings": {"explorer": False}}},
    "svg": {"fontCache": "local"},
    # No extension is there to be loaded: one that is missing would stop all formulas of a page.
    "tex": {"packages": {"[-]": ["autoload", "require"]}},
    "startup": {"typeset": True},
}
HTML = {
    "html_theme": "pydata_sphinx_theme",
    "html_static_path": [str(PAGE / "static")],
    "html_css_files": ["site.css"],
    "html_js_files": [("site.js", {"defer": "defer"})],
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "smartquotes": False,  # what the papers and the notebooks say is shown as they have it
    "html_show_sphinx": False,
    "html_search_scorer": str(PAGE / "scorer.js"),
    "html_show_search_summary": False,  # which a page that was opened from a disk cannot load
    "html_context": {"default_mode": "auto"},
    "html_sidebars": {"*": []},  # a page in no folder has no neighbours
}
THEME = {
    "navbar_align": "left",
    "header_links_before_dropdown": 4,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["made-from"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "search_bar_text": "A name, a claim, a word",
    "back_to_top_button": False,
    "show_toc_level": 1,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
NOTEBOOKS = {
    "nb_execution_mode": "off",
    "nb_ipywidgets_js": {},
    "nb_merge_streams": True,
    "nb_output_stderr": "remove",
    "nb_mime_priority_overrides": [("html", "application/vnd.jupyter.widget-view+json", None)],
    "nb_code_prompt_show": "Show {type}",
    "nb_code_prompt_hide": "Hide {type}",
    "myst_enable_extensions": ["amsmath", "colon_fence", "deflist", "dollarmath", "attrs_inline"],
    "myst_heading_anchors": 3,
    "myst_dmath_double_inline": True,
}
REFERENCE = {
    "default_role": "py:obj",
    "add_module_names": False,
    "python_use_unqualified_type_names": True,
    "autodoc_typehints": "none",  # numpydoc's sections say more than the types
    "autodoc_member_order": "bysource",
    "autosummary_generate": False,
    "numpydoc_show_class_members": False,
    "numpydoc_class_members_toctree": False,
    "viewcode_line_numbers": True,
}


def settings(title, url=None, optional=("torch",)):
    """Return the configuration.

    Parameters
    ----------
    url : str, optional
        Where the site will be. A preview of a link names the page and its picture by their whole addresses.
    optional : sequence of str
        Packages that the library can do without; where one is missing, an empty one stands in for it, so that
        what needs it is in the reference all the same.
    """
    absent = [name for name in optional if importlib.util.find_spec(name) is None]
    own = {
        "project": title,
        "extensions": EXTENSIONS,
        "templates_path": [str(PAGE / "templates")],
        "html_title": title,
        "html_short_title": title,
        "html_theme_options": THEME,
        "mathjax_path": MATHJAX,
        "mathjax3_config": MATHJAX_OPTIONS,
        "mathjax_options": {"defer": "defer"},
        "autodoc_mock_imports": absent,
        "exclude_patterns": ["_*", "**/_*"],
        "source_suffix": {".md": "myst-nb", ".ipynb": "myst-nb"},
    }
    if url:
        own["extensions"] = [*EXTENSIONS, "sphinxext.opengraph"]
        own |= {"html_baseurl": f"{url.rstrip('/')}/", "ogp_site_url": f"{url.rstrip('/')}/"}
        own |= {"ogp_site_name": title, "ogp_image": PREVIEW, "ogp_social_cards": {"enable": False}}
    return own | HTML | NOTEBOOKS | REFERENCE


def mathjax():
    """Return the path of MathJax, in the one file that holds its fonts too."""
    try:
        found = metadata.distribution("sphinx-mathjax-offline")
    except metadata.PackageNotFoundError:
        raise UsageError("the site needs MathJax: pip install sphinx-mathjax-offline") from None
    return Path(str(found.locate_file("sphinx-mathjax-offline"))) / "static" / MATHJAX
