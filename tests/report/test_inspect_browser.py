"""The page of `spacy cbl inspect` in a real browser."""

import json
from shutil import which

import pytest
import srsly

from spacy_cbl.report.inspection import inspect

from .cells import HISTORY
from .doubted import EVIL, write_corpora

webdriver = pytest.importorskip("selenium.webdriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (which("chromium") and which("chromedriver")), reason="needs chromium"
    ),
]
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = which("chromium")
    for flag in FLAGS.split():
        options.add_argument(flag)
    logs = {"browser": "ALL", "performance": "ALL"}
    options.set_capability("goog:loggingPrefs", logs)
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(which("chromedriver"))
    )
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, tmp_path, nlp):
    """The page, opened from disk; afterwards it has kept to itself."""
    folder = write_corpora(tmp_path, nlp.vocab)
    srsly.write_jsonl(folder / "weighted.history.jsonl", HISTORY)
    found = inspect(folder / "weighted.spacy", gold=folder / "gold.spacy")
    path = tmp_path / "inspect.html"
    path.write_text(found.to_html(), encoding="utf8")
    for name in ("browser", "performance"):
        browser.get_log(name)
    browser.get(path.as_uri())
    yield browser
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"]) for entry in browser.get_log("performance")]
    asked = [
        event["message"]["params"]["request"]["url"]
        for event in events
        if event["message"]["method"] == "Network.requestWillBeSent"
    ]
    assert set(asked) == {path.as_uri()}  # reloads included


def shown(page):
    return [node.text for node in page.find_elements("css selector", "#list .form")]


def find(page, name):
    return page.find_element("id", name)


def choose(page, name, value):
    find(page, name).find_element("css selector", f"option[value='{value}']").click()


def open_all(page):
    for node in page.find_elements("css selector", "#list summary"):
        node.click()


def test_text_of_the_corpus_is_text(page):
    assert shown(page) == ["Paris", f"Monday {EVIL}", "Bob Smith", "Lima"]
    open_all(page)
    marks = [n.text for n in page.find_elements("css selector", "#list .hot")]
    assert marks[1] == f"Monday {EVIL}?" and marks[2] == "Bob SmithPER?"
    assert len(page.find_elements("css selector", "#list .sentence")) == 5
    assert page.find_elements("css selector", "#list script") == []


def test_search_and_filters_change_what_is_shown(page):
    find(page, "search").send_keys("bob")
    assert shown(page) == ["Bob Smith"]
    find(page, "search").send_keys("by")
    assert shown(page) == [] and find(page, "position").text == "Nothing found"
    page.refresh()
    find(page, "context").send_keys("fell on")
    assert shown(page) == ["Paris"]
    page.refresh()
    choose(page, "type", "PER")
    assert shown(page) == ["Bob Smith"]
    page.refresh()
    find(page, "score").clear()
    find(page, "score").send_keys("0.92")
    assert shown(page) == ["Paris", f"Monday {EVIL}"]
    page.refresh()
    find(page, "confidence").clear()
    find(page, "confidence").send_keys("0.5")
    assert shown(page) == ["Bob Smith"]


def test_documents_are_shown_whole(page):
    choose(page, "view", "doc")
    assert find(page, "position").text == "1–3 of 3"
    page.find_element("css selector", "#list summary").click()
    lines = page.find_elements("css selector", "#list .sentence")
    assert [line.text.split()[0] for line in lines] == ["Rain", "Monday"]


@pytest.mark.parametrize("scheme, is_dark", [("light", False), ("dark", True)])
def test_light_and_dark_wide_and_narrow(page, scheme, is_dark):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    colour = page.execute_script("return getComputedStyle(document.body).color")
    assert (min(map(int, colour[4:-1].split(","))) > 128) == is_dark
    open_all(page)
    for width in (1280, 360):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        needed = page.execute_script("return document.documentElement.scrollWidth")
        assert needed <= width  # nothing sticks out at the side
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
