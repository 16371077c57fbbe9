"""`python -m benchmarks [NAME ...]`: run the comparisons, print them and write `figures/BENCHMARKS.md`."""

import argparse
import importlib
import pkgutil
import sys
import time
import traceback

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks import results

_NOT_BENCHMARKS = {"__main__", "results", "side_by_side", "words"}


def main():
    names = sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - _NOT_BENCHMARKS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(names)} (default: all)")
    chosen = parser.parse_args().names or names
    for name in set(chosen) - set(names):
        parser.error(f"unknown benchmark {name!r} (known: {', '.join(names)})")

    table, failed, start = Table(*results.COLUMNS), [], time.monotonic()
    for name in chosen:
        try:
            comparisons = []
            for comparison in importlib.import_module(f"benchmarks.{name}").run():
                comparisons.append(comparison)
                print(f"{comparison.what}: {comparison.ratio:.3g} x {comparison.peer_name}", flush=True)
            results.keep(name, comparisons)
        except Exception:  # the others are still worth their time
            traceback.print_exc()
            failed.append(name)
            continue
        for comparison in comparisons:
            table.add_row(name, *results.cells(comparison))
    Console(width=220).print(table)
    print(
        f"{len(chosen) - len(failed)} benchmarks in {time.monotonic() - start:.0f} s: figures/BENCHMARKS.md"
    )
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
