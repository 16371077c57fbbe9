"""What each row of the ledger measures, from the published tables: a function a row, named by its id.

An argument is the table of that name, as it is read from its CSV file.
"""

from paperlib.experiments.max_loss.claims.section_2 import *  # noqa: F403
from paperlib.experiments.max_loss.claims.section_5 import *  # noqa: F403
from paperlib.experiments.max_loss.claims.sections_3_and_4 import *  # noqa: F403
