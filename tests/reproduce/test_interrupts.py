"""Ctrl-C and SIGTERM in commands beside `run` and `sweep`: one line; no process or temporary file remains."""

import platform

import psutil
import pytest

pytestmark = pytest.mark.slow

SLEEPS = """\
import os, time
with open(os.environ["PID"], "w") as file:
    file.write(f"{os.getpid()}.")
time.sleep(120)
value = 13
"""
HOW_TO = f"""\
---
kernelspec:
  name: python3
---

# Do it

```{{code-cell}} ipython3
{SLEEPS}
```
"""
FAULT = """\
[[fault]]
id = "eleven"
says = "The base is another."
kind = "algorithm"

[[fault.edit]]
at = "paperlib.tools:"
old = "base = 10"
new = "base = 11"
"""


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("command", ["power", "stability", "processors", "site"])
def test_a_command_that_is_interrupted(project, tmp_path, until, command, how):
    if command == "processors" and platform.machine() != "x86_64":
        pytest.skip("emulates x86-64 processors")
    project.write("reproduce/faults/alpha.toml", FAULT)
    if command == "site":
        project.write("docs/how_to/do_it.md", HOW_TO)
    else:
        project.notebook("alpha", "from paperlib.tools import base\n" + SLEEPS)
        project.write("paperlib/experiments/alpha/claims.py", "")  # `power` takes no paper without steps
    file, temporary = tmp_path / "pid", tmp_path / "tmp"
    temporary.mkdir()
    variables = {"PID": str(file), "TMPDIR": str(temporary)}
    driver = project.start(command, env=variables, start_new_session=True)
    try:
        pid = until(lambda: file.exists() and file.read_text().endswith(".") and file.read_text(), "it runs")
        project.interrupt(driver, how)
        _, err = driver.communicate(timeout=60)
    finally:
        driver.kill()
    assert driver.returncode == 130, err
    assert err.endswith(project.INTERRUPTED) and "Traceback" not in err, err
    until(lambda: not psutil.pid_exists(int(pid[:-1])), "the code that was running has ended")
    assert project.published() == {}
    assert list(temporary.iterdir()) == []
