"""Words, numbers and letters: inflection, amounts, articles and capitals."""

from random import Random
from typing import List, Optional, Tuple

from corpus.chance import between, pick

ALL_CAPS, TITLE_CASE, LIST_LINE, DATELINE, BODY = "^", "~", "#", "=", ""
SMALL_WORDS = set("a an and as at by for from in into of on or the to with 's".split())
IRREGULAR = {"wife": "wives", "calf": "calves", "jellyfish": "jellyfish"}

Tagged = List[Tuple[str, str]]


def inflect(word: str, form: Optional[str]) -> str:
    """Give the -s, -ed or -ing form of a word, or the word as it is."""
    consonant_y = word[-1:] == "y" and word[-2:-1] not in set("aeiou")
    if form == "s":
        return plural(word, consonant_y)
    if form == "ed":
        if consonant_y:
            return word[:-1] + "ied"
        return word + ("d" if word.endswith("e") else "ed")
    if form == "ing":
        return (word[:-1] if word.endswith("e") else word) + "ing"
    return word


def plural(word: str, consonant_y: bool) -> str:
    """Give the plural of a noun, which is also the -s form of a verb."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("man"):
        return word[:-2] + "en"
    if consonant_y:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh", "z")) else "s")


def number(rng: Random, key: str) -> Optional[str]:
    """Make a number, amount, date or time, or None if the key is none of these."""
    small, big = between(rng, 1, 9), between(rng, 10, 99)
    low, high = between(rng, 0, 3), between(rng, 0, 4)
    makers = {
        "n1": f"{small}",
        "n2": f"{between(rng, 2, 31) if low else big}",
        "n3": f"{big * 10}" if low else f"{small},{big}0",
        "dd": f"{between(rng, 1, 28)}",
        "age": f"{between(rng, 19, 78)}",
        "year": f"{between(rng, 1950, 2023)}",
        "pct": f"{small}.{high} percent" if low else f"{big} percent",
        "money": f"$ {small}.{high} million" if low else f"{big}0,000 euros",
        "cost": f"$ {big}" if low else f"{big * 10} euros",
        "price": f"{big}.{small}",
        "score": f"{high}-{low}",
        "set": f"6-{high}",
        "clock": f"{small}:{big}.{between(rng, 10, 99)}",
        "oclock": f"{small}.{pick(rng, ['00', '15', '30', '45'])} p.m.",
        "date": f"20{between(rng, 10, 23)}-0{small}-{between(rng, 10, 28)}",
    }
    return makers.get(key)


def plain(text: str) -> Tagged:
    """Tag every word of a text as outside."""
    return [(word, "O") for word in text.split()]


def tag_name(text: str, label: str, article: bool) -> Tagged:
    """Tag a name's tokens, its article staying outside or being left away."""
    tagged: Tagged = []
    if text.startswith("the "):
        text = text[4:]
        tagged = [("the", "O")] if article else []
    for i, token in enumerate(text.split()):
        tagged.append((token, f"{'I' if i else 'B'}-{label}"))
    return tagged


def finish(tagged: Tagged, style: str) -> Tagged:
    """Set the articles and the capitals of a sentence."""
    tagged = [
        (word + "n" if vowel_follows(tagged, i) else word, tag)
        for i, (word, tag) in enumerate(tagged)
    ]
    if style == ALL_CAPS:
        return [(word.upper(), tag) for word, tag in tagged]
    if style == TITLE_CASE:
        tagged = [(w if w in SMALL_WORDS else capital(w), tag) for w, tag in tagged]
    first = 1 if tagged[0][0] in {'"', "("} else 0
    tagged[first] = (capital(tagged[first][0]), tagged[first][1])
    return tagged


def capital(word: str) -> str:
    """Raise a word's first letter."""
    return word[0].upper() + word[1:]


def vowel_follows(tagged: Tagged, i: int) -> bool:
    """Tell whether an article stands here before a vowel sound."""
    if tagged[i] not in {("a", "O"), ("A", "O")} or i + 1 == len(tagged):
        return False
    word = tagged[i + 1][0].lower()
    if word.startswith(("hour", "honest", "heir", "honour", "8", "18")):
        return True
    silent = ("uni", "unanim", "use", "eu", "one", "ura", "uk", "uganda")
    return word[:1] in set("aeiou") and not word.startswith(silent)
