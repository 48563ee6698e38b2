import re
import subprocess
from pathlib import Path

from weasel.cli.document import project_document

ROOT = Path(__file__).parent.parent


def test_the_readme_has_the_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    assert re.search(r"<!-- test command -->\n\n```\w*\npython -m pip install", readme)
    assert re.search(r"<!-- main job -->\n\n```\w*\npython -m pip install", readme)


def test_ci_script_is_valid_shell():
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)


def test_the_readme_describes_the_project_as_it_is(tmp_path):
    (tmp_path / "README.md").write_bytes((ROOT / "README.md").read_bytes())
    project_document(ROOT, tmp_path / "README.md", no_emoji=True)
    assert (tmp_path / "README.md").read_text(encoding="utf8") == (
        ROOT / "README.md"
    ).read_text(encoding="utf8")
