"""The command line: `python -m reproduce COMMAND`."""

import argparse
import os
import signal
import sys

from reproduce.commands import check, list, power, report, run, sweep
from reproduce.errors import DiskError, ReproduceError, UsageError
from reproduce.paths import HOME, Project

COMMANDS = {"run": run, "sweep": sweep, "check": check, "power": power, "report": report, "list": list}
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line instead of the whole usage."""

    def error(self, message):
        raise UsageError(f"{message} (see {self.prog} --help)")


def main(argv=None):
    """Run a command and return the exit code.

    0 all well, 1 a notebook or a claim failed, 2 bad usage, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a narrow locale is no reason to fail
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        args = _parser().parse_args(argv)
        return COMMANDS[args.command].main(Project(getattr(args, "project", HOME)), args)
    except ReproduceError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # no second complaint at exit
        return 1
    except OSError as error:
        return _fail(str(DiskError.of(error)), DiskError.exit_code)
    except KeyboardInterrupt:
        return _fail(
            "interrupted: what was published stands whole, the next call goes on from there", INTERRUPTED
        )


def _parser():
    shared = Parser(add_help=False)
    shared.add_argument(
        "--project", metavar="DIR", default=argparse.SUPPRESS, help="root folder (default: this one)"
    )
    parser = Parser(prog="python -m reproduce", description=__doc__.splitlines()[0], parents=[shared])
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        module.configure(commands.add_parser(name, help=module.HELP, parents=[shared]))
    return parser


def _interrupt(*_):
    raise KeyboardInterrupt


def _fail(message, code):
    print(f"reproduce: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
