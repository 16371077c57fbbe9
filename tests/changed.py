"""Plugin of pytest that takes tests of which something was edited since they passed: `make test CHANGED=1`.

What they depend on is what `tracing_plugin` noted, as it does again; a test of which nothing is noted is new.
"""

import pytest

pytest_plugins = ["tests.tracing_plugin"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    from tests import tracing_plugin  # not before pytest has loaded it as a plugin

    content = tracing_plugin.known(config.rootpath)
    dependencies = tracing_plugin.Dependencies(config.rootpath)
    same, verdicts = [], {}
    for item in items:
        test = tracing_plugin.function_of(item.nodeid)
        if test not in verdicts:
            noted = content.get(test)
            verdicts[test] = noted is not None and noted["digest"] == dependencies.digest(test, noted)
        if verdicts[test]:
            item.outside_tier = True  # what is noted of it still holds
            same.append(item)
    items[:] = [item for item in items if not hasattr(item, "outside_tier")]
    config.hook.pytest_deselected(items=same)
