"""Plugin of pytest that takes tests of which something was edited since they passed: `make test CHANGED=1`.

What they depend on is what `tracing_plugin` noted, as it does again; a test of which nothing is noted is new.
"""

import pytest

from tests import tracing_plugin

pytest_plugins = ["tests.tracing_plugin"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    content = tracing_plugin.known(config.rootpath)
    dependencies = tracing_plugin.Dependencies(config.rootpath)
    same, verdicts = [], {}
    for item in items:
        test = tracing_plugin.function_of(item.nodeid)
        if test not in verdicts:
            verdicts[test] = test in content and tracing_plugin.is_same(dependencies, test, content[test])
        if verdicts[test]:
            item.outside_tier = True  # what is noted of it still holds
            same.append(item)
    items[:] = [item for item in items if not hasattr(item, "outside_tier")]
    config.hook.pytest_deselected(items=same)
