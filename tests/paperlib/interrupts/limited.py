"""A program that gives long calls a time limit, and tells how they kept it: a line of JSON each."""

import json
import os
import sys
import threading
import time
import warnings

from tests.paperlib.interrupts.long_calls import CALLS

AT_ONCE = "ENDS_AT_ONCE"  # in the environment: the program waits for nothing that a call left behind
ENOUGH = 1_000.0  # seconds for a small call; where compiling used up its limit, what follows was not compiled
MOST = 30.0  # seconds after which a call is given up, and the process with it


def seconds_of(name, limit):
    """Return how long a call takes under a time limit."""
    call = CALLS[name]
    call.make(call.small)[1](time_limit=ENOUGH)  # all that it needs is compiled, before the clock runs
    _, long = call.make(call.large)
    last = threading.Timer(limit + MOST, os._exit, [3])
    last.daemon = True
    last.start()
    busy = []
    threading.Timer(limit, lambda: busy.append(time.process_time())).start()
    begin, error = time.monotonic(), ""
    try:
        long(time_limit=limit)
    except ValueError as raised:
        error = str(raised)
    last.cancel()
    now = time.process_time()
    return {"seconds": time.monotonic() - begin, "beyond": now - busy[0] if busy else 0.0, "error": error}


def main():
    """Call those that are named, with the limits."""
    warnings.simplefilter("ignore")
    for each in sys.argv[1:]:
        name, limit = each.split("=")
        print(json.dumps({"name": name}), flush=True)
        print(json.dumps({"name": name, **seconds_of(name, float(limit))}), flush=True)
    if os.environ.get(AT_ONCE):
        os._exit(0)


if __name__ == "__main__":
    main()
