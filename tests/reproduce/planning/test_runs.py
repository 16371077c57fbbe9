import pytest

from reproduce.errors import InvalidNotebook, InvalidProfiles, UnknownName, UsageError
from reproduce.paths import Project
from reproduce.planning import runs


@pytest.fixture
def make(make_project):
    mini = make_project("alpha", "beta")

    def make(*papers, **options):
        make.project = Project(mini.root)
        return runs.make(make.project, papers, **options)

    make.mini = mini
    return make


def place(run, project):
    return run.destination.folder.relative_to(project.root).as_posix()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "figures/alpha"),
        ({"data": "full"}, "figures/full/alpha"),
        ({"profile": "smoke"}, "build/runs/alpha-smoke-bundled"),
        ({"profile": "smoke", "data": "full"}, "build/runs/alpha-smoke-full"),
    ],
)
def test_only_the_papers_own_parameters_land_in_figures(make, options, expected):
    [run] = make("alpha", **options)
    assert place(run, make.project) == expected


def test_overrides_have_a_place_of_their_own(make):
    made = [make("alpha", assignments=a)[0] for a in (["seed=1"], ["seed=2"], ["seed=1", "noise=0"])]
    places = {place(run, make.project) for run in made}
    assert len(places) == 3
    assert all(
        p.startswith("build/runs/alpha-paper-bundled-") and len(p.rsplit("-", 1)[1]) == 8 for p in places
    )
    [again] = make("alpha", assignments=["noise=0.0", "seed=1"])
    assert place(again, make.project) == place(made[2], make.project)
    assert again.key == made[2].key


def test_resolved_parameters(make):
    [run] = make("alpha", profile="smoke", assignments=["noise=0.3"])
    assert run.parameters == {
        "seed": 0, "n_trials": 1, "noise": 0.3, "losses": ["hinge", "linear"], "label": "a # b", "exact": True
    }  # fmt: skip


def test_a_profile_is_overridden_by_the_command_line(make):
    [run] = make("alpha", profile="smoke", assignments=["n_trials=2"])
    assert run.parameters["n_trials"] == 2


def test_all_papers_or_those_named(make):
    assert [r.paper for r in make()] == ["alpha", "beta"]
    assert [r.paper for r in make("beta", "beta")] == ["beta"]


@pytest.mark.parametrize(
    ("papers", "options", "error", "says"),
    [
        (["alhpa"], {}, UnknownName, "unknown paper 'alhpa': did you mean alpha?"),
        (["zzz"], {}, UnknownName, "known are alpha, beta"),
        ([], {"profile": "smok"}, UnknownName, "unknown profile 'smok': did you mean smoke?"),
        (
            [],
            {"assignments": ["n_trial=3"]},
            UnknownName,
            "unknown parameter of alpha 'n_trial': did you mean n_tr",
        ),
        ([], {"assignments": ["out_dir=/tmp"]}, UsageError, "out_dir is set by the driver"),
        ([], {"assignments": ["data=full"]}, UsageError, "--data full"),
        (
            [],
            {"assignments": ["n_trials=2.0"]},
            UsageError,
            "n_trials takes an int, as in n_trials=3, not 2.0",
        ),
    ],
)
def test_everything_is_checked_first(make, papers, options, error, says):
    with pytest.raises(error) as caught:
        make(*papers, **options)
    assert says in str(caught.value)


def test_a_parameter_that_one_paper_lacks(make):
    make.mini.notebook("beta", parameters="seed = 0\nout_dir = None\ndata = 'bundled'\nn_trials = 1")
    with pytest.raises(UnknownName, match="parameter of beta 'noise'"):
        make(assignments=["noise=0.2"])
    assert make("alpha", assignments=["noise=0.2"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[smoke.alpha]\nn_trials = 1.5", r"\[smoke.alpha\]: n_trials takes an int"),
        ("[smoke.alpha]\nn_trails = 1", r"unknown parameter of alpha 'n_trails': did you mean n_trials\?"),
        ("[smoke.alpha]\nout_dir = 'x'", "out_dir is set by the driver"),
        ("[smoke.alhpa]\nn_trials = 1", r"unknown paper 'alhpa': did you mean alpha\?"),
        ("[smoke]\nn_trials = 1", "must hold tables only"),
        ("[paper.alpha]\nn_trials = 1\n[smoke]", r"\[paper\] must be empty"),
        ("[smoke", "profiles.toml: "),
    ],
)
def test_a_mistake_in_the_profiles(make, text, says):
    make.mini.write("reproduce/profiles.toml", text)
    with pytest.raises(InvalidProfiles, match=says):
        make("alpha", profile="smoke")


def test_no_profiles_at_all(make):
    (make.mini.root / "reproduce/profiles.toml").unlink()
    assert make()


def test_no_notebooks(tmp_path):
    with pytest.raises(UsageError, match=r"no notebooks in .*--project"):
        runs.make(Project(tmp_path))
    with pytest.raises(UsageError, match="no such folder"):
        Project(tmp_path / "nowhere")


def test_one_broken_notebook_among_those_asked_for(make):
    make.mini.write("notebooks/beta.ipynb", "{")
    with pytest.raises(InvalidNotebook, match=r"notebooks/beta\.ipynb: not a Jupyter notebook"):
        make()
    assert make("alpha")


def test_the_name_that_is_taken(make):
    make.mini.notebook("full")
    with pytest.raises(UsageError, match="rename the notebook"):
        make()
