import subprocess
import sys
import threading

from reproduce.publication import lock


def test_the_second_waits_for_the_first(tmp_path, until):
    path = tmp_path / "locks" / "a.lock"
    events = []

    def second():
        with lock.held(path, on_wait=lambda: events.append("waits")):
            events.append("second")

    with lock.held(path, on_wait=lambda: events.append("never")):
        thread = threading.Thread(target=second)
        thread.start()
        until(lambda: events, "the second waits")
        events.append("first is done")
    thread.join()
    assert events == ["waits", "first is done", "second"]


def test_a_killed_holder_lets_go(tmp_path):
    path = tmp_path / "a.lock"
    program = (
        "import sys, time; from pathlib import Path; from reproduce.publication import lock\n"
        "with lock.held(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    holder.kill()
    holder.communicate()
    with lock.held(path, on_wait=lambda: 1 / 0):
        pass
