"""A parameter that a later cell assigns again: refused before anything runs, by every command."""

import json

import pytest

from reproduce.errors import InvalidNotebook
from reproduce.planning.notebook import read_notebook

ASSIGN = {  # each gives n_trials another meaning
    "=": "n_trials = 7",
    "several": "first = [n_trials, *rest] = range(7)",
    "annotated": "n_trials: int = 7",
    "augmented": "n_trials += 7",
    "walrus": "print(n_trials := 7)",
    "walrus in a comprehension": "print([(n_trials := n) for n in range(3)])",
    "walrus in a default": "def f(x=(n_trials := 7)): pass",
    "for": "for i, n_trials in enumerate(range(3)):\n    pass",
    "nested": "if label:\n    try:\n        while exact:\n            n_trials = 7\n    finally:\n        3",
    "with": "with open(label) as n_trials:\n    pass",
    "except": "try:\n    pass\nexcept OSError as n_trials:\n    pass",
    "match": "match 7:\n    case {'a': [n_trials, *_]}:\n        pass",
    "match **": "match {}:\n    case {**n_trials}:\n        pass",
    "import": "import n_trials.of",
    "import as": "import numpy as n_trials",
    "from import": "from here import n_trials",
    "from import as": "from numpy import ndarray as n_trials",
    "del": "del n_trials",
    "def": "def n_trials():\n    pass",
    "async def": "async def n_trials():\n    pass",
    "class": "class n_trials:\n    pass",
    "global": "def f():\n    def g():\n        global n_trials\n        n_trials = 7\n    g()",
    "global in a class": "class A:\n    global n_trials\n    n_trials = 7",
    "magic": "n_trials = !ls",
    "beside a magic": "%matplotlib inline\nn_trials = 7\nlabel?\n!ls",
    "cell magic": "%%time\nn_trials = 7",
    "line magic": "for i in range(3):\n    %time n_trials = 7",
    "profiled": "%prun -s cumulative n_trials = 7",
    "captured": "%%capture --no-stderr n_trials\nprint(7)",
    "within what is captured": "%%capture printed\n%time n_trials = 7",
    "output of another language": "%%bash --out n_trials\nif true; then echo; fi",
    "taken away by a magic": "%xdel n_trials",
    "indented as a whole": "    n_trials = 7\n    print(n_trials)",
    "by its name": "globals()['n_trials'] = 7",
    "element by its name": "del vars()['n_trials'][0]",
    "element": "n_trials[0] = 7",
    "slice": "if exact:\n    n_trials[:] = [7]",
    "element of an element": "n_trials[0].a[1] += 7",
    "del of elements": "del n_trials[:]",
}
LEAVE = {  # and these do not
    "read": "value = n_trials + 1\nprint(value, n_trials == 7, f'{n_trials=}')",
    "comprehension": "print([n_trials for n_trials in range(3)], {n: 1 for n in range(n_trials)})",
    "local": "def f(n_trials, *, noise=n_trials):\n    for noise in range(3):\n        n_trials[0] = 1",
    "lambda": "f = lambda n_trials: n_trials",
    "attribute": "class A:\n    n_trials = 7\nA.n_trials = 8\nf(n_trials=9)",
    "element at it": "table = {}\ntable[n_trials] = 7\ndel table[n_trials]",
    "text": "text = '''\nn_trials = 7\n'''  # n_trials = 7",
    "magics": "%matplotlib inline\n%timeit n_trials = 7\n%time print(n_trials)\n%env n_trials=7\nn_trials?",
    "captured elsewhere": "%%capture printed\nprint(n_trials)",
    "a dictionary read": "print(globals()['n_trials'], {'n_trials': 7}['n_trials'], vars(label)['n_trials'])",
    "another language": "%%bash\nn_trials=7; if true; then echo; fi",
    "no Python": "n_trials = = 7",
    "no Python, as it is compiled": "def f(a, a):\n    global n_trials\n    n_trials = 7",
}
HIDE = {  # what is assigned does not stand here
    "star": "from numpy import *",
    "exec": "if exact:\n    exec('n_trials = 7')",
    "run": "%run other.py --n_trials 7",
    "store": "%store -r",
    "reset": "%reset -f",
    "timed": "%time exec(label)",
    "captured": "%%capture\n%run other.py",
}


@pytest.mark.parametrize("source", ASSIGN.values(), ids=ASSIGN)
def test_a_cell_that_assigns_a_parameter_is_refused(project, source):
    with pytest.raises(
        InvalidNotebook, match=r"^notebooks/alpha.ipynb, cell 4: n_trials must not be assigned"
    ) as caught:
        read_notebook(project.notebook("alpha", "value = 13", source))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", HIDE.values(), ids=HIDE)
def test_a_cell_that_may_assign_anything_is_refused(project, source):
    with pytest.raises(InvalidNotebook, match=r"^notebooks/alpha.ipynb, cell 4: .+ may assign a p") as caught:
        read_notebook(project.notebook("alpha", "value = 13", source))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", LEAVE.values(), ids=LEAVE)
def test_a_cell_that_does_not_is_run(project, source):
    assert read_notebook(project.notebook("alpha", "value = 13", source)).parameters["n_trials"].default == 3


def test_every_parameter_counts_and_all_are_named(project):
    path = project.notebook("alpha", "for seed in range(3):\n    data, out_dir = 'full', None")
    with pytest.raises(InvalidNotebook, match="cell 3: seed, out_dir, data must not be assigned"):
        read_notebook(path)


def test_a_second_parameters_cell_is_refused(project):
    path = project.notebook("alpha", "value = n_trials")
    content = json.loads(path.read_text())
    content["cells"][2]["metadata"]["tags"] = ["parameters"]
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidNotebook, match="cells 2 and 3 are tagged `parameters`"):
        read_notebook(path)


def test_before_the_parameters_anything_may_be_assigned(project):
    path = project.notebook("alpha", "value = n_trials")
    content = json.loads(path.read_text())
    content["cells"].insert(0, content["cells"][2] | {"source": "n_trials = 7"})
    path.write_text(json.dumps(content))
    assert read_notebook(path).parameters["n_trials"].default == 3


COMMANDS = (
    ["run", "-p", "n_trials=5"],
    ["run", "--profile", "smoke"],
    ["sweep", "alpha", "--grid", "n_trials=1,2"],
    ["sweep", "alpha", "--grid", "n_trials=1,2", "--dry-run"],
    ["stability", "--seeds", "2"],
    ["power", "alpha"],
    ["list"],
)


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_no_command_takes_such_a_notebook(project, args):
    project.write("paperlib/tools.py", "base = 10  # ten\n")
    fault = {"at": "paperlib.tools:", "old": "# ten", "new": "# eleven"}
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in fault.items())
    project.write(
        "reproduce/faults/alpha.toml",
        f'[[fault]]\nid = "f"\nsays = "f"\nkind = "data"\n[[fault.edit]]\n{text}',
    )
    project.notebook("alpha", "n_trials = 7\nvalue = n_trials + 6")
    done = project.call(*args)
    assert done.code == 2 and done.executed == set(), done
    assert done.err.startswith("reproduce: notebooks/alpha.ipynb, cell 3: n_trials must not be"), done
    assert done.err.count("\n") == 1, done
    assert not (project.root / "build/executed").exists()
