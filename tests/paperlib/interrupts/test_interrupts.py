"""Ctrl-C ends every public call within two seconds; the process lives on, the estimator is as it was."""

import time

import numpy as np
import pytest

from paperlib._common.all_or_nothing import all_or_nothing
from paperlib._common.deadline import Deadline
from paperlib._common.threads import in_parts
from tests.paperlib.fuzzing.recipes import RECIPES
from tests.paperlib.fuzzing.test_fuzz import is_record, public_names
from tests.paperlib.interrupts.long_calls import CALLS, SHORT, SHORT_MODULES
from tests.paperlib.interrupts.programs import tried
from tests.papers import PAPERS
from tests.programs import ROOT, environment, printed

MOST = 2.0  # seconds of this process's own: others may take the processor meanwhile
# Labels that were paid for stand in it, whatever ends the call; `test_active.py` has more.
KEEPS_LABELS = "coresets.ActiveCoresetSVC"
FEW = ("separator_auto", "hyperplane", "perceptron", "mean_error", "mean_two_threads")
AT_ANY_MOMENT = """
import copy, random, signal, sys, time, warnings
import numpy as np
from tests.paperlib.fuzzing.recipes import RECIPES

class Now(BaseException):
    pass

def raise_now(*_):
    raise Now

def flat(value):
    if isinstance(value, tuple | list):
        return [each for part in value for each in flat(part)]
    return [np.asarray(value)]

warnings.simplefilter("ignore")
signal.signal(signal.SIGALRM, raise_now)
rng = random.Random(0)
for recipe in RECIPES:
    if recipe.name not in sys.argv[1:]:
        continue
    call = lambda: recipe.call(**copy.deepcopy(recipe.good))
    call()
    begin = time.perf_counter()
    before = call()
    seconds = max(time.perf_counter() - begin, 1e-4)
    heard = 0
    for _ in range(40):
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, seconds))
            call()
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        except Now:
            heard += 1
        except TypeError as error:  # NumPy loses what was raised while it compared rows, in np.unique
            assert "Cannot compare structured arrays" in str(error)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    after = call()
    assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(flat(before), flat(after)))
    print(recipe.name, heard, flush=True)
"""


def is_wrong(name, found):
    """What is wrong with an interrupted call, or None."""
    if found.get("outcome") != "KeyboardInterrupt()" or found["busy"] > MOST:
        return found
    return None if found["as_it_was"] or CALLS[name].covers == KEEPS_LABELS else found


def test_every_public_name_is_called():
    names = [name for name, thing in public_names() if callable(thing) and not is_record(thing)]
    names = [name for name in names if name.split(".")[1] not in SHORT_MODULES | SHORT]
    assert set(names) == {call.covers for call in CALLS.values()}, "give it a call in long_calls.py"


def test_an_interrupt_is_heard():
    found = tried("interrupted", FEW, 0.7)
    assert {name: each for name, each in found.items() if is_wrong(name, each)} == {}


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_an_interrupt_is_heard_by_every_call(paper):
    names = [name for name, call in CALLS.items() if call.covers.startswith(paper)]
    found = tried("interrupted", names, 1.5)
    assert {name: each for name, each in found.items() if is_wrong(name, each)} == {}


@pytest.mark.slow
def test_a_signal_at_any_moment_breaks_nothing(sampled):
    names = sampled([recipe.name for recipe in RECIPES], 6)
    heard = printed("-c", AT_ANY_MOMENT, *names, timeout=540).split()[1::2]
    assert len(heard) == len(names)
    assert sum(map(int, heard)) > len(names)


@pytest.mark.slow
def test_a_notebook_keeps_its_variables():
    from jupyter_client import KernelManager

    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(ROOT), env=environment(), extra_arguments=["--HistoryManager.enabled=False"])
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)

        def run(code):
            return client.execute_interactive(code, timeout=120, output_hook=lambda message: None)["content"]

        begun = run(
            "from tests.paperlib.interrupts.long_calls import CALLS\n"
            "kept, call = 42, CALLS['perceptron']\n"
            "call.make(call.small)[1]()\n"
            "made, long = call.make(call.large)"
        )
        assert begun["status"] == "ok", begun
        # With stop_on_error the kernel drops what arrives while it still clears its queue after the error.
        client.execute("long()", stop_on_error=False)
        time.sleep(2.0)
        manager.interrupt_kernel()
        ended = client.get_shell_msg(timeout=60)["content"]
        assert ended["ename"] == "KeyboardInterrupt", ended
        assert run("assert kept == 42 and not hasattr(made, 'coef_')")["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


# The parts


def test_an_error_in_one_part_ends_the_others():
    def fail(part):
        raise KeyError(part.start)

    with pytest.raises(KeyError):
        in_parts(fail, 4, 1, n_jobs=2)


def test_what_hears_nothing_is_left_behind():
    with pytest.raises(KeyError, match="x"):
        Deadline(None).call({}.__getitem__, "x")
    begin = time.monotonic()
    with pytest.raises(Exception, match="time limit"):
        Deadline(0.2).call(time.sleep, 30.0)
    assert time.monotonic() - begin < 10.0


def test_random_generators_go_back():
    class Estimator:
        pass

    clf = Estimator()
    clf.random_state, clf._state = np.random.default_rng(0), (1, np.random.default_rng(1))
    with pytest.raises(RuntimeError), all_or_nothing(clf):
        clf.random_state.random(), clf._state[1].random()
        raise RuntimeError
    assert clf.random_state.random() == np.random.default_rng(0).random()
    assert clf._state[1].random() == np.random.default_rng(1).random()
