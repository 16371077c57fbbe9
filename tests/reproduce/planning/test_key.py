from reproduce.paths import Project
from reproduce.planning import key


def test_packages_are_those_direct_ones_that_are_installed(project):
    project.write(
        "pyproject.toml",
        '[project]\ndependencies = ["numpy>=2", "dask[array,distributed]>=2025.1", "no-such-package"]\n'
        '[project.optional-dependencies]\ntorch = ["scipy==1"]\ndev = ["pytest>=8"]\n',
    )
    assert list(key.packages(Project(project.root))) == ["dask", "numpy", "scipy"]
    (project.root / "pyproject.toml").unlink()
    assert key.packages(Project(project.root)) == {}
