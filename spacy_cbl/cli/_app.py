"""The `spacy cbl` command group."""

from functools import wraps
from pathlib import Path
from typing import Any, Callable

from typer import Typer
from wasabi import msg

cbl_cli = Typer(
    name="cbl",
    help="Train named-entity recognizers from partially annotated data",
    no_args_is_help=True,
)


def command(name: str, group: Typer = cbl_cli) -> Callable[[Callable], Callable]:
    """Register a command whose coded errors, and those of files, end it with a message
    and exit code 1.

    name (str): The name of the command.
    group (Typer): The group that it belongs to.
    RETURNS (Callable[[Callable], Callable]): The decorator.
    """

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (ValueError, RuntimeError, ImportError) as error:
                # Coded messages are for the user; anything else is our bug.
                if not str(error).startswith("[C"):
                    raise
                msg.fail(str(error), exits=1)
            except BrokenPipeError:
                raise  # nobody reads on: click ends quietly
            except OSError as error:
                msg.fail(_describe(error), exits=1)

        group.command(name)(run)
        return function

    return decorate


def _describe(error: OSError) -> str:
    from ..data.files import finished_path
    from ..errors import Errors

    name = error.filename2 or error.filename
    if not isinstance(name, (str, Path)) or not error.strerror:
        return Errors.C318.format(path="a file", reason=error)
    path = f"'{finished_path(Path(name))}'"
    return Errors.C318.format(path=path, reason=error.strerror)
