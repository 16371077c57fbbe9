"""The power of the ledger: each notebook run with deliberate errors, and the rows that notice."""
