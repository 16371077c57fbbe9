"""What a fault can change: the tables behind which a step executes what it edits."""

from reproduce.library import definitions
from reproduce.planning import traces
from reproduce.power.faults import source


def edited(project, fault):
    """Return `{module: text}` with the edits of a fault made."""
    return {
        module: definitions.edited(source(project, module).read_text(), module, fault.edits)
        for module in definitions.modules(fault.edits)
    }


def sources(project, fault):
    """Return the project's Sources with a fault; the present ones for None."""
    return traces.Sources(project, edited(project, fault)) if fault else traces.sources(project)


def calls(project, trace, fault):
    """Return the numbers of the calls of a traced run that depend on what a fault edits."""
    sound, faulty = traces.sources(project), sources(project, fault)
    changed = {item for module in definitions.modules(fault.edits) for item in sound.changed(module, faulty)}
    return {
        number
        for number, call in enumerate(trace.calls)
        if not changed.isdisjoint(sound.reached(call.entered))
    }


def tables(trace, met):
    """Return the names of the tables of a traced run that can change where these calls do.

    A table that the run made without one of them, directly or through the values that it was given, is the
    same.
    """
    return {name for name in trace.tables if not met.isdisjoint(trace.behind([name]))}
