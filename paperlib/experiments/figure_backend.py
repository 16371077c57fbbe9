"""A matplotlib backend whose SVG and PNG are the same bytes on every processor.

The last bit of a coordinate differs between processors: of data, and of the transformations that matplotlib
multiplies. It decides the last digit in an SVG, and in a PNG now and then the shade of a pixel. So all that
is drawn is put on a grid before, a hundredth of a pixel or of a point wide, which nobody sees.
"""

import codecs
from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox

STEPS = 100  # of the grid, in a pixel or a point
# Coordinates that are round numbers, as those of ticks often are, would lie on the edge between two steps.
SHIFT = 0.00137

_NOWHERE = Affine2D()


def on_grid(values):
    """Return `values` as multiples of a step.

    >>> on_grid([0.1 + 0.2, 0.3, 7.12345]).tolist()
    [0.3, 0.3, 7.12]
    """
    return np.rint((np.asarray(values, dtype=float) + SHIFT) * STEPS) / STEPS


def _path(path, transform):
    moved = transform.transform_path(path)
    found = Path(on_grid(moved.vertices), moved.codes)
    found.should_simplify, found.simplify_threshold = path.should_simplify, path.simplify_threshold
    return found


class _Context(GraphicsContextBase):
    """What matplotlib calls a graphics context, with the regions that clip on the grid.

    A path that clips is kept by what it is made of, since an SVG defines each path object once.
    """

    def __init__(self, paths):
        super().__init__()
        self._paths = paths

    def set_clip_rectangle(self, rectangle):
        super().set_clip_rectangle(None if rectangle is None else Bbox(on_grid(rectangle.get_points())))

    def get_clip_path(self):
        path, transform = super().get_clip_path()
        if path is None:
            return None, None
        found = _path(path, transform)
        codes = None if found.codes is None else found.codes.tobytes()
        return self._paths.setdefault((found.vertices.tobytes(), codes), found), _NOWHERE


class _OnGrid(RendererBase):
    """Methods that put on the grid what they are given, and hand it on to those of a renderer."""

    _put_markers: Callable[..., None]
    _put_collection: Callable[..., None]
    _put_quads: Callable[..., None]
    _put_image: Callable[..., None]

    def new_gc(self):
        self._clips = getattr(self, "_clips", {})
        return _Context(self._clips)

    def draw_path(self, gc, path, transform, rgbFace=None):
        super().draw_path(gc, _path(path, transform), _NOWHERE, rgbFace)

    def draw_markers(self, gc, marker_path, marker_trans, path, trans, rgbFace=None):
        self._put_markers(
            gc, _path(marker_path, marker_trans), _NOWHERE, _path(path, trans), _NOWHERE, rgbFace
        )

    def draw_path_collection(
        self, gc, master_transform, paths, all_transforms, offsets, offset_trans, *rest, **more
    ):
        own = [Affine2D(matrix) + master_transform for matrix in all_transforms] or [master_transform]
        if len(own) == 1:
            paths = [_path(path, own[0]) for path in paths]
        else:  # a path for each transformation, or the other way round: they take turns
            count = max(len(paths), len(own)) if len(paths) else 0
            paths = [_path(paths[i % len(paths)], own[i % len(own)]) for i in range(count)]
        offsets = on_grid(offset_trans.transform(offsets)) if len(offsets) else offsets
        self._put_collection(gc, _NOWHERE, paths, np.empty((0, 3, 3)), offsets, _NOWHERE, *rest, **more)

    def draw_quad_mesh(self, gc, master_transform, width, height, coordinates, *rest):
        corners = master_transform.transform(coordinates.reshape(-1, 2))
        self._put_quads(gc, _NOWHERE, width, height, on_grid(corners).reshape(coordinates.shape), *rest)

    def draw_text(self, gc, x, y, *rest, **more):
        super().draw_text(gc, *on_grid((x, y)).tolist(), *rest, **more)

    def draw_image(self, gc, x, y, *rest, **more):
        self._put_image(gc, *on_grid((x, y)).tolist(), *rest, **more)


class _SVG(_OnGrid, RendererSVG):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self._put_markers = partial(RendererSVG.draw_markers, self)
        self._put_collection = partial(RendererSVG.draw_path_collection, self)
        self._put_quads = partial(RendererSVG.draw_quad_mesh, self)
        self._put_image = partial(RendererSVG.draw_image, self)


class _Agg(_OnGrid, RendererAgg):
    def __init__(self, *given):
        super().__init__(*given)
        # Agg's own functions stand in the instance, where they hide the methods above.
        self._put_markers = self.__dict__.pop("draw_markers")
        self._put_collection = self.__dict__.pop("draw_path_collection")
        self._put_quads = self.__dict__.pop("draw_quad_mesh")
        self._put_image = self.__dict__.pop("draw_image")


class FigureCanvas(FigureCanvasAgg):
    """Canvas that prints SVG and PNG, for ``savefig(..., backend="module://...")``."""

    def get_renderer(self):
        """Return the renderer that draws on the grid, the same one for the same size."""
        size = *self.get_width_height(physical=True), self.figure.dpi
        if self._lastKey != size:
            self.renderer, self._lastKey = _Agg(*size), size
        return self.renderer

    def print_svg(self, file, *, bbox_inches_restore=None, metadata=None, **_):
        """Write an SVG to a file that takes bytes; of the other options the figure has taken note before."""
        dpi, (width, height) = self.figure.dpi, self.figure.get_size_inches()
        self.figure.dpi = 72  # an SVG's unit is a point
        text = codecs.getwriter("utf-8")(file)
        vectors = _SVG(72 * width, 72 * height, text, image_dpi=dpi, metadata=metadata)
        renderer = MixedModeRenderer(
            self.figure,
            width,
            height,
            dpi,
            vectors,
            raster_renderer_class=_Agg,
            bbox_inches_restore=bbox_inches_restore,
        )
        self.figure.draw(cast(RendererBase, renderer))  # it hands all calls on to one
        renderer.finalize()
