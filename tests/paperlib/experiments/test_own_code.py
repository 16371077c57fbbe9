"""Where a paper's own code is."""

import pytest

from paperlib.experiments import own_code


@pytest.mark.parametrize("notebook", [True, False])
def test_a_package_beside_the_notebook_of_its_name(notebook, tmp_path, monkeypatch):
    for name in ("toss", "notebooks"):
        (tmp_path / name).mkdir()
    (tmp_path / "toss" / "__init__.py").touch()
    if notebook:
        (tmp_path / "notebooks" / "toss.ipynb").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(own_code, "_found", [own_code.HERE])
    assert own_code.package("toss") == ("toss" if notebook else None)
    assert own_code.traced() == ("toss" if notebook else own_code.HERE)
