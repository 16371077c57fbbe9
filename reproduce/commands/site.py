"""`site`: make the static site, which a browser opens without a server."""

import argparse
import re

from reproduce.commands import options

HELP = "make the static site: notebooks as they ran, every claim with its evidence, how-tos, reference"


def configure(parser):
    """Add the command's arguments to its parser."""
    options.add_family(parser)
    parser.add_argument(
        "--url", type=_url, help="where the site will be published: links to its pages then have previews"
    )


def main(project, args):
    """Build the site and print where it is."""
    from reproduce.site import build  # Sphinx is an extra that the other commands do without

    folder = build.write_site(project, options.family(project, args), args.url)
    files = [file for file in folder.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    pages = sum(file.suffix == ".html" for file in files)
    print(f"Site: {project.shown(folder / 'index.html')} ({pages} pages, {size / 1e6:.1f} MB)")
    return 0


def _url(text):
    if not re.fullmatch(r"https?://[^\s/]+(/[^\s?#]*)?", text):
        raise argparse.ArgumentTypeError(
            f"must be an address such as https://example.org/companion, got {text!r}"
        )
    return text
