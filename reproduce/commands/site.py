"""`site`: make the static site, which a browser opens without a server."""

from reproduce.commands import options

HELP = "make the static site: notebooks as they ran, every claim with its evidence, how-tos, reference"


def configure(parser):
    options.add_family(parser)


def main(project, args):
    from reproduce.site import build  # Sphinx is an extra that the other commands do without

    folder = build.write(project, options.family(project, args))
    files = [file for file in folder.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    pages = sum(file.suffix == ".html" for file in files)
    print(f"Site: {project.shown(folder / 'index.html')} ({pages} pages, {size / 1e6:.1f} MB)")
    return 0
