"""Claims as a search of the site finds them: by their place in the paper, their id, and what they say.

Sphinx's index loads from a disk, too, and has no text of a page. So the statement is part of a claim's name.
"""

import textwrap
from typing import ClassVar

from sphinx.domains import Domain, ObjType

LONGEST = 160  # characters of a name
PRIORITY = 0  # before modules and classes
# What the search would show as `&#x27;`: Sphinx escapes names in its index, and its page does so again.
UNESCAPED = str.maketrans("'\"<>&", "\u2019\u201d\u2039\u203a+")


class Claims(Domain):
    """The claims of all papers, as things that have a name."""

    name = label = "claims"
    object_types: ClassVar = {"claim": ObjType("claim")}
    initial_data: ClassVar = {"claims": []}

    def note(self, paper, claim):
        """Add a claim whose page is being read."""
        shown = f"{claim.where} ({claim.id}): {claim.statement.says}"
        shown = textwrap.shorten(shown, LONGEST, placeholder=" ...").translate(UNESCAPED)
        found = f"{paper}/{claim.id}", shown, "claim", self.env.docname, claim.id, PRIORITY
        self.data["claims"].append(found)

    def get_objects(self):
        """Return the claims as Sphinx wants them."""
        return self.data["claims"]


def setup(app):
    """Add the domain, as Sphinx asks an extension to."""
    app.add_domain(Claims)
    return {"parallel_read_safe": False}
