"""The quickstart of the README, as its reader runs it: with all of the training."""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from .blocks import BLOCKS, ROOT

README = [block for block in BLOCKS if block.page == "README.md"]


@pytest.mark.slow
def test_the_quickstart_says_what_the_readme_shows(tmp_path):
    start = [b.text.startswith("python -m spacy cbl convert") for b in README].index(1)
    commands, said, code, found = README[start : start + 4]
    for folder in ("assets", "configs"):
        copytree(ROOT / folder, tmp_path / folder)
    output = run(["bash", "-e", "-c", commands.text], tmp_path)
    lines = [line for line in said.lines if line.startswith("✔")]
    assert lines == [line for line in output.splitlines() if line in lines]
    # Other machines round otherwise.
    assert best_f(output) == pytest.approx(best_f(said.text), abs=5)
    output = run([sys.executable, "-c", code.text], tmp_path)
    assert entities(output) == entities(found.text)


def run(command, folder):
    """Run a command with this Python, without colours."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "ANSI_COLORS_DISABLED": "1"}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf8",
    ).stdout


def best_f(table):
    rows = re.findall(r"^ *\d+ +\d+ +\S+ +([\d.]+) .* [\d.]+$", table, re.M)
    return max(float(f) for f in rows)


def entities(output):
    """Names and labels, without the confidences."""
    return [line.rsplit(" ", 1)[0] for line in output.splitlines()]
