"""The fattest of all optimal lines (Section 2.1)."""
