import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_readme_has_the_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    assert re.search(r"<!-- test command -->\n\n```\w*\npython -m pip install", readme)
    assert re.search(r"<!-- main job -->\n\n```\w*\npython -m pip install", readme)


def test_ci_script_is_valid_shell():
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)
