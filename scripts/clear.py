"""Remove folders of earlier runs: results of another corpus are not to be mixed in."""

import argparse
import shutil
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="what to remove")
    for folder in parser.parse_args().folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
