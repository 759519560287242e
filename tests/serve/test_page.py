"""The page in a real browser: headless Chromium, driven by Selenium."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

pytestmark = pytest.mark.slow

selenium = pytest.importorskip("selenium", reason="Selenium is not installed (pip install 'vnlp-colab[test]')")
from selenium import webdriver  # noqa: E402
from selenium.common.exceptions import WebDriverException  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

TEXT = "Ayşe Ankara'ya gitti. Hava güzel!"
# Where to keep pictures of what the tests saw, to be looked at by people.
PICTURES = os.environ.get("VNLP_COLAB_TEST_PICTURES")


@pytest.fixture(scope="module")
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (program and driver):
        pytest.skip("no Chromium with its driver here (apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--lang=tr", "--window-size=1100,1400"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    try:
        started = webdriver.Chrome(options, webdriver.ChromeService(driver))
    except WebDriverException as error:
        pytest.skip(f"Chromium does not start here: {error.msg}")
    yield started
    started.quit()


@pytest.fixture
def page(browser, server):
    """The page of the shared server, as a first visitor in Turkish sees it."""
    return Page(browser, server.url)


class Page:
    def __init__(self, browser, url, fragment="", width=1100, language="tr"):
        self.browser, self.url = browser, url
        browser.set_window_size(width, 1400)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.get(url + "/healthz")
        browser.execute_script(
            "localStorage.clear(); localStorage.setItem('vnlp-colab-language', arguments[0])", language
        )
        browser.get_log("browser")
        browser.get(url + "/" + fragment)
        self.until(lambda: self.find("#tasks input"))

    def find(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        (found,) = self.find(selector)
        return found

    def text(self, selector):
        return self.one(selector).text

    def until(self, what, seconds=10):
        return WebDriverWait(self.browser, seconds).until(lambda _: what())

    def analyze(self, text, typed=False):
        """Enter a text and ask; the driver types no emoji, so texts are pasted unless they are to be typed."""
        self.one("#text").clear()
        if typed:
            self.one("#text").send_keys(text)
        else:
            self.browser.execute_script("arguments[0].value = arguments[1]", self.one("#text"), text)
        self.one("#text").send_keys(Keys.CONTROL, Keys.ENTER)
        self.until(lambda: not self.one("#spinner").is_displayed() and (self.text("#status") or self.text("#error")))

    def complaints(self):
        """What the browser complains of (a script that fails, something the policy forbids)."""
        return [entry for entry in self.browser.get_log("browser") if "favicon" not in entry["message"]]

    def keep(self, name):
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(Path(PICTURES) / f"{name}.png"))


def test_a_sentence_shows_entities_tree_table_and_sentiment(page):
    page.keep("empty")
    page.analyze(TEXT, typed=True)
    page.keep("result")
    assert "2 cümle, 7 sözcük" in page.text("#status")
    marks = page.find("mark.PER")
    assert marks[0].text.startswith("Ayşe")
    assert marks[0].value_of_css_property("background-color") == "rgba(183, 216, 247, 1)"
    trees = page.find(".tree img")
    assert len(trees) == 2
    for tree in trees:  # a picture that could not be read has no width
        assert page.browser.execute_script("return arguments[0].naturalWidth", tree) > 50
    assert "Ayşe" in trees[0].get_attribute("alt")
    rows = page.find("article:first-of-type tbody tr")
    assert [row.find_element(By.CSS_SELECTOR, "th").text for row in rows] == ["Ayşe", "Ankara'ya", "gitti", "."]
    assert [box.text for box in page.find("[data-sentiment]")] == ["olumlu (%90)", "olumsuz (%20)", "olumlu (%90)"]
    assert page.complaints() == []


def test_the_sentiment_is_called_what_the_model_called_it(page):
    page.analyze("Her zamanki, sıradan bir gün.")
    shown = page.one("[data-sentiment]")
    assert shown.get_attribute("data-sentiment") == "neutral"
    assert shown.text == "nötr", "by its score alone it would be positive"
    meter = page.one("meter")
    low, high = (float(meter.get_attribute(name)) for name in ("low", "high"))
    assert low < 0.7 < high, "in the colour of the middle"
    page.keep("neutral")
    page.one("[data-language=en]").click()
    assert page.text("[data-sentiment]") == "neutral"
    assert page.complaints() == []


def test_features_are_spelt_out_when_pointed_at_or_focused(page):
    page.analyze(TEXT)
    features = page.find(".features")[0]
    page.browser.execute_script("arguments[0].focus()", features)
    assert page.text("#tip") == "Durum: yalın\nSayı: tekil"
    page.keep("hint")
    page.one("body").send_keys(Keys.ESCAPE)
    assert not page.one("#tip").is_displayed()
    webdriver.ActionChains(page.browser).move_to_element(page.find("td .told")[0]).perform()
    assert page.text("#tip") == "ad (isim)"
    assert "ad (isim)" in page.find("td .told")[0].get_attribute("textContent")  # what a screen reader says


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.ran = 1</script> Ayşe gitti.",
        "<img src=x onerror='window.ran = 1'> Ayşe gitti.",
        "</text></svg><svg onload='window.ran=1'> Ayşe gitti.",
        "Ayşe'<b>kalın</b> &lt;i&gt; gitti.",
    ],
)
def test_markup_is_shown_and_not_run(page, text):
    page.analyze(text)
    assert page.browser.execute_script("return window.ran") is None
    seen = "".join(
        page.browser.execute_script("return [...document.querySelectorAll('.words')].map(p => p.textContent)")
    )
    for part in ("<script>", "<img", "</svg>", "<b>", "&lt;"):
        assert (part in text) == (part in seen)
    assert page.find("#sentences script, #sentences b, #sentences svg, #sentences img:not(.tree img)") == []
    for tree in page.find(".tree img"):
        assert page.browser.execute_script("return arguments[0].naturalWidth", tree) > 50
    page.keep("markup")
    assert page.complaints() == []


def test_places_behind_an_emoji_are_right(page):
    page.analyze("👩‍👧🎉 selam Ayşe geldi")
    seen = page.browser.execute_script("return document.querySelector('mark').firstChild.textContent")
    assert seen == "Ayşe"


def test_the_language_is_switched_and_remembered(page):
    page.analyze(TEXT)
    page.one("[data-language=en]").click()
    assert page.text("#analyze") == "Analyse"
    assert page.one("html").get_attribute("lang") == "en"
    assert "positive (90%)" in page.text("#summary")
    assert [head.text for head in page.find("article:first-of-type thead th")][:3] == ["No.", "Token", "Lemma"]
    page.keep("english")
    page.browser.refresh()
    page.until(lambda: page.find("#tasks input"))
    assert page.text("#analyze") == "Analyse"


def test_both_languages_have_every_word(page):
    shape = """
        const {WORDS} = await import('/words.js');
        const keys = (words) => Object.entries(words).flatMap(([name, value]) =>
          typeof value === 'object' ? keys(value).map((inside) => `${name}.${inside}`) : [name]);
        return [keys(WORDS.tr).sort(), keys(WORDS.en).sort()];
    """
    turkish, english = page.browser.execute_script(f"return (async () => {{{shape}}})()")
    assert turkish == english
    unknown = [box.get_attribute("data-word") for box in page.find("[data-word]")]
    assert set(unknown) <= set(turkish)


def test_tasks_and_style_are_what_is_asked_for(page):
    for name in ("dep", "sentiment", "morphology"):
        page.one(f"#tasks input[value={name}]").click()
    page.one("#style").send_keys("boun")
    page.one("#entity_style").send_keys("wikiann_tr")
    page.analyze(TEXT)
    assert page.find(".tree") == []
    assert page.find("[data-sentiment]") == []
    assert [head.text for head in page.find("article:first-of-type thead th")] == ["Sıra", "Sözcük", "Tür", "Varlık"]
    tag, entity = page.find("tbody td .told")[:2]
    assert tag.text.startswith("X")
    assert entity.text.startswith("LOC")


def test_a_phones_width_needs_no_sideways_scrolling_of_the_page(browser, server):
    # a window of Chromium is never narrower than 500 pixels, so the phone is an emulated one
    page = Page(browser, server.url)
    phone = {"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    page.analyze(TEXT + " Uzunbirsözcüklerdizisi" + "uzun" * 20 + " bitti.")
    widths = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1] == 360
    for button in page.find("button"):
        if button.is_displayed():
            assert button.size["height"] >= 36  # a finger's
    page.keep("phone-top")
    browser.execute_script("document.getElementById('results').scrollIntoView()")
    page.keep("phone")


def test_dark_mode_is_followed(browser, server):
    page = Page(browser, server.url)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    page.analyze(TEXT)
    assert page.one("body").value_of_css_property("background-color") == "rgba(13, 17, 23, 1)"
    page.keep("dark")


def test_the_link_holds_the_text_and_never_reaches_the_server(browser, server):
    page = Page(browser, server.url, "#text=" + quote("Fatma gizlibağlantı geldi.") + "&without=dep")
    page.until(lambda: page.find("mark"))
    assert page.one("#text").get_property("value") == "Fatma gizlibağlantı geldi."
    assert page.find(".tree") == []
    address = browser.execute_script("return location.href")
    again = Page(browser, server.url, address.removeprefix(server.url + "/"))
    again.until(lambda: again.find("mark"))
    assert "gizlibağlantı" not in server.log


def test_json_and_conllu_are_copied(page, browser, server):
    page.analyze(TEXT)
    both = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    browser.execute_cdp_cmd("Browser.grantPermissions", {"origin": server.url, "permissions": both})
    copied = {}
    for name in ("json", "conllu", "link"):
        page.one(f"#copy-{name}").click()
        page.until(lambda: page.text("#copied") == "Kopyalandı.")
        copied[name] = browser.execute_script("return navigator.clipboard.readText()")
        browser.execute_script("document.getElementById('copied').textContent = ''")
    assert json.loads(copied["json"]) == server.analyze({"text": TEXT}).json()
    assert copied["conllu"] == server.analyze({"text": TEXT}, "/v1/conllu").text
    assert copied["link"].startswith(server.url + "/#text=Ay%C5%9Fe")


def test_what_the_server_refuses_is_told_in_the_readers_language(page):
    page.analyze("a " * 1001)
    assert page.text("#error") == "Metin çok uzun; bu sunucu bir seferde en çok 1.000 sözcük çözümlüyor."
    page.keep("error")
    page.one("[data-language=en]").click()
    assert page.text("#error") == "The text is too long; this server analyses 1,000 tokens at a time."
    page.analyze(" ")
    assert page.text("#error") == "Write a text or choose an example first."
    page.analyze("patla")
    assert "failed" in page.text("#error")
    assert page.find("#results:not([hidden])") == []
    page.analyze("Ayşe")
    assert not page.one("#error").is_displayed()


def test_a_server_that_is_gone_is_told(browser, start_server):
    leaving = start_server()
    page = Page(browser, leaving.url)
    leaving.stop()
    page.analyze("Ayşe")
    assert page.text("#error").startswith("Sunucuya ulaşılamıyor")


def test_a_running_request_shows_a_spinner_and_can_be_given_up(browser, start_server, metrics_of):
    waiting = start_server()
    page = Page(browser, waiting.url)
    page.one("#text").send_keys("uyu 3", Keys.CONTROL, Keys.ENTER)
    page.until(lambda: page.one("#spinner").is_displayed())
    assert page.text("#status") == "Çözümleniyor …"
    page.keep("working")
    page.one("#cancel").click()
    page.until(lambda: page.text("#status") == "Vazgeçildi.")
    page.until(lambda: metrics_of(waiting)["vnlp_colab_queue"] == 0)
    assert not page.one("#spinner").is_displayed()


def test_a_server_with_a_token_asks_for_it(browser, start_server):
    guarded = start_server(token="gizli")
    page = Page(browser, guarded.url)
    page.until(lambda: page.one("#token-choice").is_displayed())
    page.analyze("Ayşe")
    assert "erişim belirteci" in page.text("#error")
    page.keep("token")
    page.one("#token").send_keys("gizli")
    page.analyze("Ayşe")
    assert len(page.find("mark")) == 1


def test_everything_is_reached_by_the_keyboard(page):
    page.analyze(TEXT)
    reached = set()
    page.browser.execute_script("document.activeElement.blur()")
    for _ in range(60):
        webdriver.ActionChains(page.browser).send_keys(Keys.TAB).perform()
        element = page.browser.switch_to.active_element
        outline = element.value_of_css_property("outline-style")
        name = element.get_attribute("id") or element.get_attribute("class") or element.get_attribute("value")
        if element.tag_name != "body":
            assert outline != "none", name
        reached.add(name)
    assert {
        "text",
        "analyze",
        "style",
        "copy-json",
        "copy-conllu",
        "copy-link",
        "scroll tree",
        "told features",
    } <= reached


def test_every_control_has_a_name_for_screen_readers(page):
    page.analyze(TEXT)
    nameless = [
        element.get_attribute("outerHTML")[:80]
        for element in page.find("button, input, select, textarea, img, meter, table, [role=group], section, article")
        if element.is_displayed() and not element.accessible_name and element.get_attribute("alt") != ""
    ]
    assert nameless == []
    ids = [element.get_attribute("id") for element in page.find("[id]")]
    assert len(ids) == len(set(ids))
