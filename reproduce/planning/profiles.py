"""Profiles: named sets of parameter values, read from profiles.toml."""

from reproduce import reading
from reproduce.errors import InvalidProfiles, UnknownName, UsageError
from reproduce.planning import parameters


def load_profiles(project):
    """Read `{profile: {paper: {name: value}}}`; the profile `paper` is always there and changes nothing."""
    path = project.profiles
    try:
        profiles = reading.toml(path) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise InvalidProfiles(f"{path}: {error}") from None
    for profile, papers in profiles.items():
        if not isinstance(papers, dict) or not all(isinstance(p, dict) for p in papers.values()):
            raise InvalidProfiles(f"{path}: [{profile}] must hold tables only, as in [{profile}.PAPER]")
        for paper in papers:
            if paper not in project.papers:
                raise InvalidProfiles(f"{path}: {UnknownName('paper', paper, project.papers)}")
    if profiles.setdefault("paper", {}):
        raise InvalidProfiles(f"{path}: [paper] must be empty, change the notebook's defaults instead")
    return profiles


def overrides(profiles, profile, paper, notebook):
    """Return the values that a profile sets for one paper, checked against the notebook's parameters."""
    if profile not in profiles:
        raise UnknownName("profile", profile, profiles)
    try:
        return {
            name: parameters.check_value(parameters.find(notebook, name, paper), value)
            for name, value in profiles[profile].get(paper, {}).items()
        }
    except UsageError as error:
        raise InvalidProfiles(f"profiles.toml, [{profile}.{paper}]: {error}") from None
