"""Layers of a small convolutional network and their gradients, with the images of a batch innermost.

Activations have the shape (channels, rows, columns, images). So every inner loop runs over images, whose sums
are independent of each other: LLVM turns it into vector instructions without changing the order of a sum, and
the results are the same bits on every processor. Nothing here may use fastmath, for the same reason. All
numbers are of single precision.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.powers_of_two import power_of_two

LOG2_E = 1.4426950408889634
LARGEST = 500.0  # of a difference of scores: beyond it the logistic function is 0 or 1 in single precision


@jit
def with_margin(inputs, width):
    """Return `inputs` between `width` columns of zeros on either side."""
    n_channels, rows, columns, batch = inputs.shape
    # Columns only: then a row of the picture is one flat vector, and a step to the right a shift by `batch`.
    padded = np.zeros((n_channels, rows, columns + 2 * width, batch), np.float32)
    for c in range(n_channels):
        for i in range(rows):
            for j in range(columns):
                for k in range(batch):
                    padded[c, i, width + j, k] = inputs[c, i, j, k]
    return padded


@jit
def convolve(inputs, filters, bias, padding):
    """Return ``bias[o] + sum_{c, a, b} filters[o, c, a, b] inputs[c, i + a - padding, j + b - padding]``.

    Outside of the picture inputs are zero. Filters (outputs, channels, height, width), bias (outputs,).
    """
    n_outputs, n_channels, height, width = filters.shape
    _, n_rows, n_columns, batch = inputs.shape
    rows, columns = n_rows + 2 * padding - height + 1, n_columns + 2 * padding - width + 1
    padded = with_margin(inputs, padding)
    outputs = np.empty((n_outputs, rows, columns, batch), np.float32)
    for o in range(n_outputs):
        for i in range(rows):
            target = outputs[o, i].reshape(-1)
            target[:] = bias[o]
            for c in range(n_channels):
                # Rows of a filter that are outside of the picture would meet zeros alone.
                for a in range(max(0, padding - i), min(height, n_rows + padding - i)):
                    add_multiples(target, padded[c, i + a - padding].reshape(-1), filters[o, c, a], batch)
    return outputs


@jit
def add_multiples(target, source, factors, step):
    """``target[k] += sum_b factors[b] * source[k + b * step]``."""
    # Four at a time, so that `target` is read and written less often. The slices begin at zero because an
    # index that could be negative, for all that numba knows, is not vectorised.
    size, b = len(target), 0
    while b + 4 <= len(factors):
        f0, f1, f2, f3 = factors[b], factors[b + 1], factors[b + 2], factors[b + 3]
        v0, v1 = source[b * step : b * step + size], source[(b + 1) * step : (b + 1) * step + size]
        v2, v3 = (
            source[(b + 2) * step : (b + 2) * step + size],
            source[(b + 3) * step : (b + 3) * step + size],
        )
        for k in range(size):
            target[k] += ((f0 * v0[k] + f1 * v1[k]) + f2 * v2[k]) + f3 * v3[k]
        b += 4
    while b < len(factors):
        factor, values = factors[b], source[b * step : b * step + size]
        for k in range(size):
            target[k] += factor * values[k]
        b += 1


@jit
def gradient_of_inputs(slopes, filters, padding):
    """Return the gradient by the inputs of `convolve`, given that by its outputs: a convolution again."""
    # Channels and outputs change places. A copy: numba would compile `convolve` again for another layout.
    turned = np.ascontiguousarray(filters[:, :, ::-1, ::-1].transpose((1, 0, 2, 3)))
    # Filters are square and wider than `padding`: one number serves both axes, and is not negative.
    return convolve(slopes, turned, np.zeros(len(turned), np.float32), filters.shape[2] - 1 - padding)


@jit
def gradient_of_filters(slopes, inputs, padding):
    """Return the gradient by the filters of `convolve`, given that by its outputs: a sum over images."""
    n_outputs, rows, columns, batch = slopes.shape
    height, width = inputs.shape[1] + 2 * padding - rows + 1, inputs.shape[2] + 2 * padding - columns + 1
    padded = with_margin(inputs, padding)
    gradient = np.empty((n_outputs, len(inputs), height, width), np.float32)
    sums = np.empty(columns * batch, np.float32)  # over rows; of each column and image
    for o in range(n_outputs):
        for c in range(len(inputs)):
            for a in range(height):
                first, last = max(0, padding - a), min(rows, inputs.shape[1] + padding - a)
                slope = slopes[o, first:last].reshape(last - first, -1)
                value = padded[c, first + a - padding : last + a - padding].reshape(last - first, -1)
                for b in range(width):
                    sums[:] = 0.0
                    add_products(sums, slope, value, b * batch)
                    gradient[o, c, a, b] = sum_of_images(sums, batch)
    return gradient


@jit
def add_products(sums, slopes, values, start):
    """``sums[k] += sum_i slopes[i, k] * values[i, start + k]``, for as many k as there are sums."""
    i, stop = 0, start + len(sums)
    while i + 4 <= len(slopes):
        s0, s1, s2, s3 = slopes[i], slopes[i + 1], slopes[i + 2], slopes[i + 3]
        v0, v1 = values[i][start:stop], values[i + 1][start:stop]
        v2, v3 = values[i + 2][start:stop], values[i + 3][start:stop]
        for k in range(len(sums)):
            sums[k] += ((s0[k] * v0[k] + s1[k] * v1[k]) + s2[k] * v2[k]) + s3[k] * v3[k]
        i += 4
    while i < len(slopes):
        slope, value = slopes[i], values[i][start:stop]
        for k in range(len(sums)):
            sums[k] += slope[k] * value[k]
        i += 1


@jit
def sum_of_images(values, batch):
    """Return the sum of all values: first of each image over its columns, then of the images in order."""
    of_each = np.zeros(batch, np.float32)
    for j in range(len(values) // batch):
        column = values[j * batch : (j + 1) * batch]
        for k in range(batch):
            of_each[k] += column[k]
    return sum_in_order(of_each)


@jit
def sum_in_order(values):
    """Return the sum, from the first to the last, in double precision."""
    # One after the other: no vector's width has a say in the bits.
    total = 0.0
    for value in values:
        total += value
    return total


@jit
def gradient_of_bias(slopes):
    """Return the gradient by the bias of `convolve`, given that by its outputs."""
    gradient = np.empty(len(slopes), np.float32)
    of_each = np.empty(slopes.shape[3], np.float32)
    for o in range(len(slopes)):
        of_each[:] = 0.0
        for i in range(slopes.shape[1]):
            for j in range(slopes.shape[2]):
                for k in range(len(of_each)):
                    of_each[k] += slopes[o, i, j, k]
        gradient[o] = sum_in_order(of_each)
    return gradient


@jit
def rectified_maxima(values):
    """Return the largest of each two by two values, or zero where all are negative."""
    n_channels, rows, columns, batch = values.shape
    maxima = np.empty((n_channels, rows // 2, columns // 2, batch), np.float32)
    zero = np.float32(0.0)
    for c in range(n_channels):
        for i in range(rows // 2):
            for j in range(columns // 2):
                above, right = values[c, 2 * i, 2 * j], values[c, 2 * i, 2 * j + 1]
                below, last = values[c, 2 * i + 1, 2 * j], values[c, 2 * i + 1, 2 * j + 1]
                largest = maxima[c, i, j]
                for k in range(batch):
                    most = above[k] if above[k] > right[k] else right[k]
                    most = most if most > below[k] else below[k]
                    most = most if most > last[k] else last[k]
                    largest[k] = most if most > zero else zero
    return maxima


@jit
def gradient_of_maxima(slopes, values, maxima):
    """Return the gradient by the values of `rectified_maxima`: to the first of the largest, if above 0."""
    gradient = np.zeros(values.shape, np.float32)
    zero = np.float32(0.0)
    left = np.empty(values.shape[3], np.float32)  # what no position has taken yet
    for c in range(maxima.shape[0]):
        for i in range(maxima.shape[1]):
            for j in range(maxima.shape[2]):
                largest = maxima[c, i, j]
                for k in range(len(left)):
                    left[k] = slopes[c, i, j, k] if largest[k] > zero else zero
                for a in range(2):
                    for b in range(2):
                        here, target = values[c, 2 * i + a, 2 * j + b], gradient[c, 2 * i + a, 2 * j + b]
                        # Equality is safe: the largest is a copy of one of the four, not computed.
                        for k in range(len(left)):
                            target[k] = left[k] if here[k] == largest[k] else zero
                            left[k] = zero if here[k] == largest[k] else left[k]
    return gradient


@jit
def slopes_of_losses(scores, labels):
    """Return the gradient of the mean logistic loss by the scores (2, images); labels are 0 and 1."""
    batch = scores.shape[1]
    slopes = np.empty((2, batch), np.float32)
    for k in range(batch):
        apart = min(max(np.float64(scores[1, k]) - np.float64(scores[0, k]), -LARGEST), LARGEST)
        # No library's exponential, for the same bits everywhere. Up to 722; `power_of_two` goes to 1022.
        second = 1.0 / (1.0 + power_of_two(-apart * LOG2_E))
        slopes[1, k] = (second - labels[k]) / batch
        slopes[0, k] = -slopes[1, k]
    return slopes


@jit
def nesterov_step(weights, velocity, gradient, rate, momentum, l2):
    """Take a step of gradient descent with Nesterov's momentum, in place; all arrays are flat."""
    for k in range(len(weights)):
        # As PyTorch has it: the gradient is that at the weights, and the look ahead is in the step.
        slope = gradient[k] + l2 * weights[k]
        velocity[k] = momentum * velocity[k] + slope
        weights[k] -= rate * (slope + momentum * velocity[k])
