"""`python -m benchmarks [NAME ...]`: run the comparisons and print one table."""

import argparse
import importlib
import pkgutil

from rich.console import Console
from rich.table import Table

import benchmarks

_NOT_BENCHMARKS = {"__main__", "side_by_side"}


def main():
    names = sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - _NOT_BENCHMARKS)
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(names)} (default: all)")
    chosen = parser.parse_args().names or names
    for name in set(chosen) - set(names):
        parser.error(f"unknown benchmark {name!r} (known: {', '.join(names)})")

    table = Table("what", "ours (s)", "peer (s)", "ratio", "target", "holds", "peer", "note")
    for name in chosen:
        for result in importlib.import_module(f"benchmarks.{name}").run():
            target = "" if result.target is None else f"{result.target:g}"
            seconds = [f"{result.ours:.3f}", f"{result.peer:.3f}"]
            row = [
                result.what,
                *seconds,
                f"{result.ratio:.1f}",
                target,
                result.holds,
                result.peer_name,
                result.note,
            ]
            table.add_row(*row)
            print(f"{result.what}: {result.ratio:.2f} x {result.peer_name}", flush=True)
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
