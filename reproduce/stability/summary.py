"""The lines that `stability` prints about a paper."""

from reproduce.stability.rows import FITS


def lines(study, stability):
    """Return the lines about one paper: what depends on the seed, and what does not fit."""
    count, failing = len(study.runs), stability.failing
    yield (
        f"{study.paper}: {count} seeds, {study.profile} profile, {study.data} data; "
        f"check passes on {count - len(failing)} of {count}"
    )
    yield from _listed("check fails with", {_seeds([s]): ", ".join(why) for s, why in failing.items()})
    yield from _listed(
        "another verdict with another seed",
        {row.id: _counts(row.verdicts) for row in stability.rows if len(row.verdicts) > 1},
    )
    yield from _listed(
        f"spread over seeds not within {FITS[0]:g} to {FITS[1]:g} of the stated standard error",
        {
            row.id: f"{row.ratio:.2f} (spread {row.spread:.2g}, stated {row.stderr:.2g})"
            for row in stability.rows
            if not row.fits
        },
    )
    constant = sum(row.constant for row in stability.rows)
    yield f"  the same digits with every seed: {constant} of {len(stability.rows)} rows"


def _listed(title, found):
    if found:
        width = max(map(len, found))
        yield f"  {title}:"
        yield from (f"    {name:{width}}  {text}" for name, text in found.items())


def _counts(verdicts):
    (most, seeds), *others = verdicts.items()
    rest = (f"{verdict} {len(seeds)} ({_seeds(seeds)})" for verdict, seeds in others)
    return ", ".join([f"{most} {len(seeds)}", *rest])


def _seeds(seeds):
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"
