"""Prepare the corpora of the paper's experiments: names alone, no dates or titles."""

import argparse
from pathlib import Path

from wasabi import msg

from spacy_cbl.data.convert import convert
from spacy_cbl.data.convert.options import Options

# What each folder is made of, and the types of entities to leave out
FOLDERS = {
    "conll2003_eng": ("conll2003_eng", ()),
    "conll2003_deu": ("conll2003_deu", ()),
    "conll2002_esp": ("conll2002_esp", ()),
    "conll2002_ned": ("conll2002_ned", ()),
    "arabic_anercorp": ("arabic_anercorp", ()),
    "hindi_hiner": ("hindi_hiner", ()),
    "amharic_say_names": ("amharic_say", ("DATE", "TIME", "TTL")),
    "masakhaner_hau_names": ("masakhaner_hau", ("DATE",)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder of corpora")
    parser.add_argument("target", type=Path, help="folder to write to")
    args = parser.parse_args()
    for name, (folder, drop) in FOLDERS.items():
        for part in ("train", "dev", "test"):
            path = Path(folder) / f"{part}.iob2"
            output = args.target / name / f"{part}.iob2"
            report = convert(
                args.source / path, output, to="iob2", options=Options(drop=drop)
            )
        msg.good(f"{name}: {report.spans} entities in test")


if __name__ == "__main__":
    main()
