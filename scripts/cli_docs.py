"""Write docs/cli.md, the reference of the commands, from the commands themselves.

python scripts/cli_docs.py
"""

from pathlib import Path
from typing import Any, Iterator, List, Tuple

import typer

from spacy_cbl.cli import cbl_cli

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
HEAD = """# Commands

What `--help` says, all in one place. Made by `python scripts/cli_docs.py`.
"""


def make_page() -> str:
    """The page, a section per command."""
    commands = sorted(list_commands(typer.main.get_command(cbl_cli), "spacy cbl"))
    return "\n".join([HEAD, *(describe(*command) for command in commands)])


def list_commands(group: Any, name: str) -> Iterator[Tuple[str, Any]]:
    """The commands of a group and of its groups, with their whole names."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from list_commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


def describe(name: str, command: Any) -> str:
    """What a command does, and its arguments."""
    text = "\n\n".join(" ".join(p.split()) for p in command.help.split("\n\n"))
    rows = [f"| {' | '.join(describe_parameter(p))} |" for p in command.params]
    table = ["| argument | what it is | default |", "|---|---|---|", *rows]
    return "\n".join([f"## {name}", "", text, "", *table, ""])


def describe_parameter(parameter: Any) -> List[str]:
    """Its names, its help and its default."""
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [parameter.name.upper()]
    shown = ", ".join(f"`{name}`" for name in names)
    return [shown, _escape(parameter.help or ""), describe_default(parameter)]


def describe_default(parameter: Any) -> str:
    """The value, where there is one to speak of."""
    if parameter.required:
        return "required"
    value = getattr(parameter.default, "value", parameter.default)
    return "" if value in (None, (), [], "") else f"`{_escape(str(value))}`"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf8")
