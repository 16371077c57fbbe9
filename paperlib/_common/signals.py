"""Signals in compiled code: Ctrl-C is heard where kernels run long, and breaks nothing where they return."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import boxing, cgutils, pythonapi

from paperlib._common.intrinsics import intrinsic, no_effect

EVERY = 20_000_000  # units of work between two looks for signals: some hundredths of a second
_thread = threading.local()


class Ended(Exception):
    """Nobody waits for what this thread computes."""


@contextmanager
def ended_by(event: threading.Event) -> Iterator[None]:
    """Have the kernels that this thread calls in the block raise `Ended` once `event` is set."""
    _thread.event = event
    try:
        yield
    finally:
        _thread.event = None


def look() -> None:
    """Raise what a kernel of this thread is to be ended by. That it runs lets Python handle signals, too."""
    event = getattr(_thread, "event", None)
    if event is not None and event.is_set():
        raise Ended


@intrinsic(no_effect)
def hear(typing_context, work):
    """Count `work`, in units of about a nanosecond, and let signals be heard once there has been enough.

    A kernel runs without the GIL, and Python hears no signal meanwhile. This takes the GIL for a moment, so
    that pending signals are handled as between two statements of Python, by the main thread. What a handler
    raises, such as KeyboardInterrupt, ends the kernel and those that called it. As with all errors in
    compiled code, arrays that these hold then are not freed, so it is not for what happens all the time.
    """

    def build(context, builder, signature, arguments):
        work = context.cast(builder, arguments[0], signature.args[0], types.int64)
        count = cgutils.add_global_variable(builder.module, work.type, "work_since_signals_were_heard")
        count.linkage, count.initializer = "internal", ir.Constant(work.type, 0)
        # Threads share the count without a lock: what is lost between them only puts a look off.
        total = builder.add(builder.load(count), work)
        builder.store(total, count)
        with cgutils.if_unlikely(builder, builder.icmp_signed(">", total, ir.Constant(work.type, EVERY))):
            builder.store(ir.Constant(work.type, 0), count)
            api = context.get_python_api(builder)
            gil = api.gil_ensure()
            module = api.import_module(context.insert_const_string(builder.module, __name__))
            looked = api.call_method(module, "look")
            api.decref(module)
            api.decref(looked)
            api.gil_release(gil)
            with cgutils.if_unlikely(builder, cgutils.is_null(builder, looked)):
                context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.none(work), build


class _WithoutPython(pythonapi.PythonAPI):
    """Numba's Python API, with constants from the kernel's environment and not from a pickle."""

    def __init__(self, context: Any) -> None:
        super().__init__(context.context, context.builder)
        self._environment = context.env_manager

    def serialize_object(self, constant: Any) -> Any:
        return constant

    def unserialize(self, constant: Any) -> Any:
        value = self._environment.read_const(self._environment.add_const(constant))
        self.incref(value)
        return value


def _guarded(original: Any) -> Any:
    """Return a function that makes what a kernel of ours returns, as numba's `original`, by no Python code.

    Numba unpickles the class of an array or a named tuple, and calls that of a named tuple, by Python code.
    A signal that came during the kernel is handled there. Where its handler raises, numba goes on with a null
    pointer, and the process crashes. Made here, it waits for the caller.
    """

    def box(kind: Any, value: Any, context: Any) -> Any:
        if context.env_manager is None or "8paperlib" not in context.env_manager.env.env_name:
            return original(kind, value, context)
        api = _WithoutPython(context)
        context = context._replace(pyapi=api)
        if original is not boxing.box_namedtuple:
            return original(kind, value, context)
        make, its_class = api.unserialize(tuple.__new__), api.unserialize(kind.instance_class)
        plain = boxing.box_tuple(kind, value, context)
        arguments = api.tuple_pack([its_class, plain])
        made = api.call(make, arguments)
        for each in (make, its_class, plain, arguments):
            api.decref(each)
        return made

    return box


@cache
def keep_results_whole() -> None:
    """Have results of our kernels made by no Python code from now on, and those of others as before."""
    boxers = pythonapi._boxers.functions
    for kind in (types.Array, types.NamedTuple, types.NamedUniTuple):
        boxers[kind] = _guarded(boxers[kind])
