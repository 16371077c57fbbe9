"""Links of a page in the repository, which lead to files of it, as they are on the site.

So a page reads well on a code host, too. What the site does not have is text there, without a link.
"""

import posixpath
import re

LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?!https?://|mailto:|#)[^)\s#]+)(#[^)\s]*)?\)")
PICTURE = re.compile(r"figures/(\w+)/([\w.-]+)\.png")  # a published figure; the site has small copies
CLAIM = "{{site-claim}}``{2} <{0}#{1}>``"  # no heading that MyST could know

# A file of the repository -> a page of the site, from its top.
PAGES = (
    (r"(?:notebooks/(\w+)\.ipynb|figures/(\w+)/notebook\.ipynb)", r"notebooks/\1\2.ipynb"),
    (r"notebooks", "notebooks/index.md"),
    (r"reproduce/claims/(\w+)\.toml", r"claims/\1.md"),
    (r"figures/SCOREBOARD\.md", "claims/index.md"),
    (r"figures/BENCHMARKS\.md", "benchmarks.md"),
    (r"CONTRIBUTING\.md#a-sixth-paper", "sixth_paper.md"),
    (r"paperlib/(\w+)/\w+\.py#(\w+)", r"reference/paperlib.\1.\2.md"),
    (r"paperlib", "reference/index.md"),
    (r"docs/(how_it_works|how_to)", r"\1/index.md"),
    (r"docs/(\w+\.md|how_it_works/\w+\.md)", r"\1"),
)
HOW_TO = re.compile(r"docs/how_to/(\w+)\.md")
NAMED = "notebooks", "reference", "sixth_paper"  # pages of which no part is named in a link


def of_site(text, page, how_tos=(), at=None):
    """Return the text of a page with the links of the site.

    Parameters
    ----------
    page : str
        Its path in the repository, such as `docs/how_to/x.md`.
    how_tos : collection of str
        The how-to pages that the site has; they are notebooks there.
    at : str, optional
        Its path if the site lay in `docs/`, where that is another.
    """
    folder, own = posixpath.dirname(page), posixpath.dirname(at or page)

    def one(found):
        picture, words, path, part = found.groups(default="")
        target = posixpath.normpath(posixpath.join(folder, path))
        if picture:
            copied = PICTURE.fullmatch(target)
            small = copied and f"pictures/{copied[1]}--{copied[2]}.webp"
            return f"![{words}]({_from(own, small)})" if small else found[0]
        where = _page(target, part, how_tos)
        if where is None:
            return words
        if where.startswith("claims/") and part:
            return CLAIM.format(_from(own, where.replace(".md", ".html")), part[1:], words)
        return f"[{words}]({_from(own, where)}{'' if where.startswith(NAMED) else part})"

    return LINK.sub(one, text)


def _page(target, part, how_tos):
    if found := HOW_TO.fullmatch(target):
        return f"how_to/{found[1]}.ipynb" if found[1] in how_tos else None
    if target == "docs/how_to" and not how_tos:
        return None
    for pattern, page in PAGES:
        if found := re.fullmatch(pattern, target + part) or re.fullmatch(pattern, target):
            return found.expand(page)
    return None


def _from(folder, page):
    return posixpath.relpath(f"docs/{page}", folder)
