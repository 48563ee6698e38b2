"""Settings as they are given on the command line."""

from typing import Any, Dict, List

from ..errors import Errors


def parse_settings(texts: List[str]) -> Dict[str, Any]:
    """Read settings of the form NAME=VALUE.

    texts (List[str]): Such as "distance=2"; what is neither JSON nor a number, such as
        .5, is taken as a string.
    RETURNS (Dict[str, Any]): The settings.
    """
    settings: Dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise ValueError(Errors.C171.format(found=text))
        settings[name] = _parse(value)
    return settings


def _parse(value: str) -> Any:
    import srsly

    for read in (srsly.json_loads, float):
        try:
            return read(value)
        except ValueError:
            pass
    return value
