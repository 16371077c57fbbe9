"""A small picture of a claim: what is allowed, and the interval that was measured."""

import math
from html import escape

from reproduce.library import verdicts
from reproduce.publication import results

WIDTH, HEIGHT, EDGE = 240, 34, 12  # pixels


def picture(j):
    """Return an SVG of the values that the claim allows and of what was measured, or "" without numbers."""
    if not j.claim.checkable:
        return ""
    which = j.claim.corrected if j.verdict == verdicts.CORRECTED and j.claim.corrected else j.claim.statement
    name = j.claim.corrected_id if which is j.claim.corrected else j.claim.id
    # Of each kind of data; one where they are the same.
    found = dict.fromkeys(_interval(m[name]) for m in j.measures.values() if name in m)
    ends = [end for interval in found for end in interval]
    limits = [end for end in verdicts.allowed(which) if math.isfinite(end)]
    if not ends or not limits or not all(map(math.isfinite, ends)):
        return ""
    low, high = min(ends + limits), max(ends + limits)
    room = 0.2 * (high - low) or 0.2 * abs(high) or 1.0
    low, high = low - room, high + room

    def x(value):
        share = (min(max(value, low), high) - low) / (high - low)
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    left, right = map(x, verdicts.allowed(which))
    parts = [f'<rect class="allowed" x="{left}" y="4" width="{max(right - left, 2)}" height="16"/>']
    parts += [f'<path class="edge" d="M{x(end)} 2v20"/>' for end in limits]
    step = 16 / (len(found) + 1)
    for i, (start, end) in enumerate(found, 1):
        y = round(4 + i * step, 1)
        parts.append(f'<path class="measured" d="M{x(start)} {y}H{x(end)}"/>')
        parts.append(f'<circle class="measured" cx="{x((start + end) / 2)}" cy="{y}" r="3"/>')
    words = [
        (x(end), f"{end:.4g}") for end in limits[:1] + [e for e in limits[1:] if x(e) - x(limits[0]) > 70]
    ]
    parts += [f'<text x="{at}" y="32" text-anchor="middle">{escape(text)}</text>' for at, text in words]
    said = "the allowed values, shaded, and the measured interval"
    return (
        f'<svg class="interval" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{said}">{"".join(parts)}</svg>'
    )


def _interval(measure):
    found = results.Measure(*measure)
    reach = verdicts.width(found.dof) * found.stderr
    return found.value - reach, found.value + reach
