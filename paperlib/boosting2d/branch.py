"""Exact branch and bound over lines: the optimum of a million points without looking at most of them.

Lines are written ``v = m u + t`` with ``|m| <= 1``, once with (u, v) = (x, y) and once with (y, x), so that no
line is left out. A node is a box of slopes and intercepts together with the side that is predicted positive.
Over a box the height ``v - m u`` of a point has its extremes in the ends of the slopes' interval. A point whose
heights all lie to one side of the intercepts is on that side of every line of the box: it leaves the active
list, and if that is the wrong side its weight goes to the box's base. For the others one scan over bins of
intercepts gives a lower bound on what lines of each bin misclassify, because a point counts only for the bins
that its whole range is on the wrong side of, and an upper bound at the middle slope. Bins that cannot hold an
optimum are dropped, what is left is halved along the direction that leaves more points in doubt.

A box with few active points is finished exactly: by Lemma 2.5 an optimal separator set is that of a line
through two locations, turned and shifted a little, so all pairs of active points whose line lies in the box
are tried with exact predicates.

Points are judged by the cell at first, and one by one once a box has become narrow.
"""

import numpy as np
from numba import njit

from paperlib.boosting2d.predicates import orientation
from paperlib.boosting2d.witness import ray

BINS = 128
LEAF = 24  # active points that all pairs are tried of
SLACK = 32 * 2.0**-53  # heights are widened by this times |u| + |v|, above their rounding errors
EXPAND = 0.5
SPLIT = 1.0
FUZZ = 1e-9  # of a bin; far above the rounding errors of its number
SMALLEST = 2.0**-46  # width of slopes, below which a box is finished as it is




@njit(cache=True, nogil=True)
def _filter_cells(items, box, bounds, w_below, w_above, keys, up, out):
    """Keep the active cells; add up the weight and the key of the others."""
    u_low, u_high, v_low, v_high = bounds
    m0, m1, t0, t1 = box
    base, key, kept, spread, size = 0.0, np.uint64(0), 0, 0.0, 0.0
    for i in items:
        ul, uh, vl, vh = u_low[i], u_high[i], v_low[i], v_high[i]
        slack = SLACK * (max(abs(ul), abs(uh)) + max(abs(vl), abs(vh)))
        low = vl - max(max(m0 * ul, m0 * uh), max(m1 * ul, m1 * uh)) - slack
        high = vh - min(min(m0 * ul, m0 * uh), min(m1 * ul, m1 * uh)) + slack
        if high <= t0:
            base += w_below[i]
            if not up:
                key ^= keys[i]
        elif low >= t1:
            base += w_above[i]
            if up:
                key ^= keys[i]
        else:
            out[kept] = i
            kept += 1
            spread += abs(ul) + abs(uh)
            size += (vh - vl) + (uh - ul)
    return kept, base, key, 0.5 * spread / max(kept, 1), size / max(kept, 1)


@njit(cache=True, nogil=True)
def _filter_points(items, box, u, v, w_below, w_above, keys, up, out):
    """Keep the active points; add up the weight and the key of the others."""
    m0, m1, t0, t1 = box
    base, key, kept, spread = 0.0, np.uint64(0), 0, 0.0
    for i in items:
        slack = SLACK * (abs(u[i]) + abs(v[i]))
        first, last = v[i] - m0 * u[i], v[i] - m1 * u[i]
        if max(first, last) + slack <= t0:
            base += w_below[i]
            if not up:
                key ^= keys[i]
        elif min(first, last) - slack >= t1:
            base += w_above[i]
            if up:
                key ^= keys[i]
        else:
            out[kept] = i
            kept += 1
            spread += abs(u[i])
    return kept, base, key, spread / max(kept, 1)


@njit(cache=True, nogil=True)
def _count(bins, low, high, middle_low, middle_high, below, above, t0, per_unit):
    """Enter one item into the bins.

    Row 0 of `bins` starts to count it in the first bin that it is below of for certain, row 1 in the last bin
    that it is above of. Rows 2 and 3 do so for the bins' borders at the middle slope where it may be.
    """
    last = bins.shape[1] - 2
    j = min(int(max(high - t0, 0.0) * per_unit + FUZZ) + 1, last + 1) if high > t0 else 0
    bins[0, j] += below
    j = min(int((low - t0) * per_unit - FUZZ), last + 1) if low > t0 else 0
    if j > 0:
        bins[1, j - 1] += above
    place = (middle_low - t0) * per_unit - FUZZ
    j = int(np.ceil(min(place, last + 1.0))) if place > 0.0 else 0
    bins[2, j] += below
    place = (middle_high - t0) * per_unit + FUZZ
    if place >= 0.0:
        bins[3, int(min(place, last + 1.0))] += above


@njit(cache=True, nogil=True)
def _bin_cells(items, box, bounds, w_below, w_above, bins):
    u_low, u_high, v_low, v_high = bounds
    m0, m1, t0, t1 = box
    middle = 0.5 * (m0 + m1)
    per_unit = (bins.shape[1] - 1) / (t1 - t0)
    for i in items:
        ul, uh, vl, vh = u_low[i], u_high[i], v_low[i], v_high[i]
        slack = SLACK * (max(abs(ul), abs(uh)) + max(abs(vl), abs(vh)))
        low = vl - max(max(m0 * ul, m0 * uh), max(m1 * ul, m1 * uh)) - slack
        high = vh - min(min(m0 * ul, m0 * uh), min(m1 * ul, m1 * uh)) + slack
        middle_low = vl - max(middle * ul, middle * uh) - slack
        middle_high = vh - min(middle * ul, middle * uh) + slack
        _count(bins, low, high, middle_low, middle_high, w_below[i], w_above[i], t0, per_unit)


@njit(cache=True, nogil=True)
def _bin_points(items, box, u, v, w_below, w_above, bins):
    m0, m1, t0, t1 = box
    middle = 0.5 * (m0 + m1)
    per_unit = (bins.shape[1] - 1) / (t1 - t0)
    for i in items:
        slack = SLACK * (abs(u[i]) + abs(v[i]))
        first, last, at = v[i] - m0 * u[i], v[i] - m1 * u[i], v[i] - middle * u[i]
        low, high = min(first, last) - slack, max(first, last) + slack
        _count(bins, low, high, at - slack, at + slack, w_below[i], w_above[i], t0, per_unit)


@njit(cache=True, nogil=True)
def _finish(items, box, chart, up, x, y, u, v, ratio, wp, wn, keys, base, key, cut, found, n_found):
    """Try all lines of the box through two active points; returns the least weight met."""
    m0, m1, t0, t1 = box
    least = np.inf
    for a in items:
        if wp[a] == 0.0:
            continue
        slack = SLACK * (abs(u[a]) + abs(v[a]))
        for b in items:
            dx, dy = x[b] - x[a], y[b] - y[a]
            du, dv = (dx, dy * ratio) if chart == 0 else (dy * ratio, dx)
            if du == 0.0 or abs(dv) > 1.0000001 * abs(du):
                continue
            m = dv / du
            if m < m0 - SLACK or m > m1 + SLACK:
                continue
            t = v[a] - m * u[a]
            if t < t0 - slack or t > t1 + slack:
                continue
            left_is_above = (du > 0.0) == (chart == 0)
            side = 1 if left_is_above == up else -1
            common, common_key = base, key
            minus, straight, plus = 0.0, 0.0, 0.0
            k_minus, k_straight, k_plus = np.uint64(0), np.uint64(0), np.uint64(0)
            for c in items:
                where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
                if where == side:
                    common += wn[c]
                    common_key ^= keys[c]
                elif where == -side:
                    common += wp[c]
                else:
                    straight += wn[c]
                    k_straight ^= keys[c]
                    on = ray(x, y, a, b, c)
                    if on == 0:
                        minus += wn[c]
                        plus += wn[c]
                        k_minus ^= keys[c]
                        k_plus ^= keys[c]
                    elif on == side:
                        minus += wn[c]
                        k_minus ^= keys[c]
                        plus += wp[c]
                    else:
                        plus += wn[c]
                        k_plus ^= keys[c]
                        minus += wp[c]
            for turn in range(-1, 2):
                extra = minus if turn < 0 else (straight if turn == 0 else plus)
                weight = common + extra
                least = min(least, weight)
                if weight <= cut:
                    if n_found == len(found):
                        bigger = np.empty((2 * n_found, 6), dtype=np.int64)
                        bigger[:n_found] = found
                        found = bigger
                    mine = k_minus if turn < 0 else (k_straight if turn == 0 else k_plus)
                    f = found[n_found]
                    f[0], f[1], f[2], f[3] = a, b, side, turn
                    f[4] = np.int64(common_key ^ mine)
                    f[5] = np.int64(weight)
                    n_found += 1
    return least, found, n_found


CHUNK = 1 << 22  # entries of active lists that one generation of boxes may fill


@njit(cache=True, nogil=True)
def _larger(array, used, needed):
    """The same array with room for `needed` entries; `used` of them are kept."""
    if len(array) >= needed:
        return array
    larger = np.empty((2 * needed,) + array.shape[1:], dtype=array.dtype)
    larger[:used] = array[:used]
    return larger


@njit(cache=True, nogil=True)
def search(
    x, y, u, v, wp, wn, keys, start, bounds, cell_wp, cell_wn, cell_keys, ratio, best, extra, tolerance, stats
):
    """All witnesses whose weight is at most the optimum + `extra`."""
    n, c = len(x), len(start) - 1
    arena = np.empty(4 * c + 1024, dtype=np.int32)
    arena[:c] = np.arange(c)
    top = c
    flipped = (bounds[2], bounds[3], bounds[0], bounds[1])
    found, n_found = np.empty((64, 6), dtype=np.int64), 0
    bins = np.empty((4, BINS + 1))
    where = np.empty((256, 4))  # m0, m1, t0, t1
    sums = np.empty((256, 2))  # base, bound
    what = np.empty((256, 5), dtype=np.int64)  # chart, up, is_points, begin, end
    hashes = np.empty(256, dtype=np.uint64)
    reach = 0.0
    for i in range(c):
        reach = max(reach, max(abs(bounds[0][i]), abs(bounds[1][i])) + max(abs(bounds[2][i]), abs(bounds[3][i])))
    reach *= 1.0 + 1e-9
    depth = 0
    for chart in range(2):
        for up in range(2):
            for part in range(8):
                low = -1.0 + 0.25 * part
                where[depth] = (low - 1e-12, low + 0.25 + 1e-12, -reach, reach)
                sums[depth] = (0.0, 0.0)
                what[depth] = (chart, up, 0, 0, c)
                hashes[depth] = 0
                depth += 1
    # Frames of nodes [next, last) whose lists end before `top`.
    frames = np.empty((1024, 3), dtype=np.int64)
    frames[0] = (0, depth, top)
    n_frames = 1
    while n_frames > 0:
        node, last_node, top = frames[n_frames - 1]
        if node == last_node:
            n_frames -= 1
            continue
        depth = last_node  # children go here
        free = top
        while node < last_node and free - top < CHUNK:
            current = node
            node += 1
            cut = best + extra + tolerance
            if sums[current, 1] > cut:
                continue
            stats[0] += 1
            m0, m1, t0, t1 = where[current]
            box = (m0, m1, t0, t1)
            chart, up, is_points, begin, end = what[current]
            base, key = sums[current, 0], hashes[current]
            uu, vv = (u, v) if chart == 0 else (v, u)
            boxes = bounds if chart == 0 else flipped
            w_below, w_above = (wp, wn) if up else (wn, wp)
            cw_below, cw_above = (cell_wp, cell_wn) if up else (cell_wn, cell_wp)
            arena = _larger(arena, free, free + end - begin)
            if is_points:
                kept, more, k, spread = _filter_points(
                    arena[begin:end], box, uu, vv, w_below, w_above, keys, bool(up), arena[free:]
                )
                stats[2] += end - begin
            else:
                kept, more, k, spread, size = _filter_cells(
                    arena[begin:end], box, boxes, cw_below, cw_above, cell_keys, bool(up), arena[free:]
                )
                stats[1] += end - begin
                if size > EXPAND * (m1 - m0) * spread or kept < 64:
                    base += more
                    key ^= k
                    total = 0
                    for i in arena[free : free + kept]:
                        total += start[i + 1] - start[i]
                    arena = _larger(arena, free + kept, free + kept + total)
                    place = free + kept
                    for i in arena[free : free + kept]:
                        for j in range(start[i], start[i + 1]):
                            arena[place] = j
                            place += 1
                    is_points = 1
                    kept, more, k, spread = _filter_points(
                        arena[free + kept : place], box, uu, vv, w_below, w_above, keys, bool(up), arena[free:]
                    )
                    stats[2] += total
            base += more
            key ^= k
            if base > cut:
                continue
            begin, end = free, free + kept
            items = arena[begin:end]
            if is_points and (kept <= LEAF or (m1 - m0 <= SMALLEST)):
                stats[3] += 1
                stats[4] += kept
                least, found, n_found = _finish(
                    items, box, chart, bool(up), x, y, uu, vv, ratio, wp, wn, keys, base, key, cut, found, n_found
                )
                best = min(best, least)
                continue
            bins[:] = 0.0
            if is_points:
                _bin_points(items, box, uu, vv, w_below, w_above, bins)
            else:
                _bin_cells(items, box, boxes, cw_below, cw_above, bins)
            for j in range(BINS):
                bins[0, j + 1] += bins[0, j]
                bins[2, j + 1] += bins[2, j]
                bins[1, BINS - j - 1] += bins[1, BINS - j]
                bins[3, BINS - j - 1] += bins[3, BINS - j]
            for j in range(BINS + 1):
                best = min(best, base + bins[2, j] + bins[3, j])
            cut = best + extra + tolerance
            # Runs of bins that may hold an optimum; short gaps are kept.
            width = (t1 - t0) / BINS
            j = 0
            pushed = False
            while j < BINS:
                if base + bins[0, j] + bins[1, j] > cut:
                    j += 1
                    continue
                first, last = j, j
                bound = base + bins[0, j] + bins[1, j]
                while j < BINS and j - last <= 8:
                    lb = base + bins[0, j] + bins[1, j]
                    if lb <= cut:
                        last = j
                        bound = min(bound, lb)
                    j += 1
                low, high = t0 + first * width, (t0 + (last + 1) * width if last + 1 < BINS else t1)
                low, high = low - FUZZ * width, high + FUZZ * width
                where = _larger(where, depth, depth + 2)
                sums = _larger(sums, depth, depth + 2)
                what = _larger(what, depth, depth + 2)
                hashes = _larger(hashes, depth, depth + 2)
                if (m1 - m0) * spread * SPLIT >= high - low:
                    middle = 0.5 * (m0 + m1)
                    where[depth] = (m0, middle, low, high)
                    where[depth + 1] = (middle, m1, low, high)
                    parts = 2
                elif high - low > 0.7 * (t1 - t0):
                    middle = 0.5 * (low + high)
                    where[depth] = (m0, m1, low, middle)
                    where[depth + 1] = (m0, m1, middle, high)
                    parts = 2
                else:
                    where[depth] = (m0, m1, low, high)
                    parts = 1
                for p in range(parts):
                    sums[depth] = (base, bound)
                    what[depth] = (chart, up, is_points, begin, end)
                    hashes[depth] = key
                    depth += 1
                pushed = True
            if pushed:
                free = end
        frames[n_frames - 1, 0] = node
        if depth > last_node:
            frames[n_frames] = (last_node, depth, free)
            n_frames += 1
    return best, found[:n_found]
