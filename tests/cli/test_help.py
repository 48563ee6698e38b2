import subprocess
import sys


def test_command_group_reaches_spacys_command_line_by_entry_point():
    shown = subprocess.run(
        [sys.executable, "-m", "spacy", "cbl", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "partially annotated" in shown.stdout
