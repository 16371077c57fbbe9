"""A program that interrupts long calls, and tells how they took it: a line of JSON each."""

import json
import os
import signal
import sys
import threading
import time
import warnings

import joblib
import numpy as np

from tests.paperlib.interrupts.long_calls import CALLS

MOST = 60.0  # seconds after which a call that hears nothing is given up, and the process with it


def state_of(made):
    """A digest of each attribute of an estimator; of None, none."""
    return {} if made is None else {name: joblib.hash(value) for name, value in vars(made).items()}


def interrupted(name, after):
    """Interrupt a call `after` some seconds, and return what came of it."""
    call = CALLS[name]
    call.make(call.small)[1]()  # compiled, before the clock runs
    made, long = call.make(call.large)
    before = state_of(made)
    sent = []

    def send():
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    timer, last = threading.Timer(after, send), threading.Timer(after + MOST, os._exit, [3])
    last.daemon = True
    last.start()
    timer.start()
    outcome = "no exception"
    try:
        long()
    except BaseException as error:
        outcome = repr(error)
    end = time.monotonic(), time.process_time()
    timer.cancel()
    last.cancel()
    if not sent:
        return {"outcome": "too short"}
    seconds, busy = np.subtract(end, sent[0]).tolist()
    return {"outcome": outcome, "seconds": seconds, "busy": busy, "as_it_was": state_of(made) == before}


def main():
    """Interrupt the calls that are named, with the times after which."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    for each in sys.argv[1:]:
        name, after = each.split("=")
        print(json.dumps({"name": name}), flush=True)
        for part in (1.0, 0.25, 0.05):  # a fast machine may end before the signal
            found = interrupted(name, part * float(after))
            if found["outcome"] != "too short":
                break
        print(json.dumps({"name": name, **found}), flush=True)


if __name__ == "__main__":
    main()
