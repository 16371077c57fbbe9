"""Command line of the driver: `python -m reproduce COMMAND`."""

import argparse
import io
import os
import signal
import sys
from importlib import import_module

from reproduce.errors import DiskError, ReproduceError, UsageError
from reproduce.library import IN_CHECKOUT
from reproduce.paths import DEFAULT, Project

DESCRIPTION = "Run the papers' notebooks and compare the results with what the papers print."
COMMANDS = [
    "run", "sweep", "check", "power", "stability", "processors", "site", "report", "crate", "list", "lab",
    "new",
]  # fmt: skip
COMMANDS += ["tested"] if IN_CHECKOUT else []  # it runs this checkout's tests
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Argument parser whose errors are one line instead of the whole usage."""

    def error(self, message):
        raise UsageError(f"{message} (see {self.prog} --help)")


def main(argv=None):
    """Run a command and return the exit code.

    0: success. 1: a notebook or a claim failed. 2: bad usage. 130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a locale without these characters is no reason to fail
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        # Imported here, where Ctrl-C is one line, and not by every process that a command starts.
        commands = {name: import_module(f"reproduce.commands.{name}") for name in COMMANDS}
        args = _parser(commands).parse_args(argv)
        return commands[args.command].main(Project(getattr(args, "project", DEFAULT)), args)
    except ReproduceError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:
        # Else Python reports the closed pipe again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(str(DiskError.of(error)), DiskError.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted: published results are complete, call again to go on", INTERRUPTED)


def _parser(modules):
    shared = Parser(add_help=False)
    shared.add_argument(
        "--project",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help=f"the project's folder (default: {'this checkout' if IN_CHECKOUT else 'the current folder'})",
    )
    parser = Parser(prog="python -m reproduce", description=DESCRIPTION, parents=[shared])
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in modules.items():
        description = f"{module.HELP[0].upper()}{module.HELP[1:]}."
        module.configure(
            commands.add_parser(name, help=module.HELP, description=description, parents=[shared])
        )
    return parser


def _interrupt(*_):
    raise KeyboardInterrupt


def _fail(message, code):
    print(f"reproduce: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
