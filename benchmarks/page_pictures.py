"""Pictures of the server's page, with the package's models, for the documentation and to be looked at.

    python -m benchmarks.page_pictures [FOLDER]            # serve.png and serve-phone.png, by default in docs/images
    python -m benchmarks.page_pictures FOLDER --all        # every state: languages, light and dark, phone, problems

Needs Selenium, and Chromium with its driver.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from benchmarks.serve import HOST, Server
from benchmarks.text import ROOT
from vnlp_colab.registry import DEFAULT_TASKS
from vnlp_colab.runtime import available_cores

TEXT = "Orhan Pamuk'un romanları İstanbul'da geçer. Yazar 2006 yılında Nobel Edebiyat Ödülü'nü kazandı."
WIDE = {"width": 860, "height": 1120, "deviceScaleFactor": 1, "mobile": False}
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


class Camera:
    """A browser that shows the page in some state."""

    def __init__(self, port: int, folder: Path) -> None:
        from selenium import webdriver

        program, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
        if not (program and driver):
            raise SystemExit("no Chromium with its driver here (apt-get install chromium chromium-driver)")
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(option)
        self._browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
        self._url = f"http://{HOST}:{port}/"
        self._folder = folder

    def open(self, *, language: str = "tr", dark: bool = False, screen: dict[str, Any] = WIDE) -> None:
        """Open the page anew."""
        mode = {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
        self._browser.execute_cdp_cmd("Emulation.setEmulatedMedia", mode)
        self._browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        self._browser.get(self._url + "healthz")
        self.run("localStorage.clear(); localStorage.setItem('vnlp-colab-language', arguments[0])", language)
        self._browser.get(self._url)
        self.until("return document.getElementById('about').textContent")

    def analyze(self, text: str) -> None:
        """Ask for a text and wait for the answer or a refusal."""
        self.run(
            "document.getElementById('text').value = arguments[0]; document.getElementById('analyze').click()", text
        )
        self.until(
            "return document.getElementById('spinner').hidden && "
            "(document.getElementById('status').textContent || document.getElementById('error').textContent)"
        )

    def run(self, script: str, *values: Any) -> Any:
        """Run a script in the page."""
        return self._browser.execute_script(script, *values)

    def until(self, script: str) -> None:
        """Wait until a script gives something."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self._browser, 30).until(lambda _: self.run(script))

    def take(self, name: str, *, results: bool = False) -> None:
        """Keep a picture of what the window shows, from its top or from the results on."""
        self.run("(arguments[0] ? document.getElementById('results') : document.body).scrollIntoView()", results)
        self._browser.save_screenshot(str(self._folder / f"{name}.png"))

    def close(self) -> None:
        """End the browser."""
        self._browser.quit()


def pictures_of_the_docs(camera: Camera) -> None:
    """Take the two pictures of docs/serve.md."""
    camera.open()
    camera.analyze(TEXT)
    camera.take("serve")
    camera.open(dark=True, screen=PHONE)
    camera.analyze(TEXT)
    camera.take("serve-phone", results=True)


def pictures_of_every_state(camera: Camera) -> None:
    """Take pictures of what a visitor may see."""
    for language in ("tr", "en"):
        for dark in (False, True):
            for screen, name in ((WIDE, "wide"), (PHONE, "phone")):
                mode = f"{name}-{language}-{'dark' if dark else 'light'}"
                camera.open(language=language, dark=dark, screen=screen)
                camera.take(f"{mode}-first")
                camera.analyze(TEXT)
                camera.take(f"{mode}-top")
                camera.take(f"{mode}-results", results=True)
                camera.run("document.querySelector('.features').focus()")
                camera.until("return !document.getElementById('tip').hidden")
                camera.take(f"{mode}-tip", results=True)
                camera.analyze("")
                camera.take(f"{mode}-empty")
                camera.analyze("a" * 20_000)
                camera.take(f"{mode}-refused")
    camera.open()
    camera.analyze("<script>alert(1)</script> 🙂 " + "Uzun cümle, " * 30 + "bitti.")
    camera.take("odd", results=True)


def main() -> None:
    """Start a server, take the pictures, end it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.page_pictures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs" / "images")
    parser.add_argument("--all", action="store_true", help="every state instead of the pictures of the documentation")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    server = Server(",".join(DEFAULT_TASKS), range(available_cores()), [])
    try:
        camera = Camera(server.port, args.folder)
        try:
            (pictures_of_every_state if args.all else pictures_of_the_docs)(camera)
        finally:
            camera.close()
    finally:
        server.stop()


if __name__ == "__main__":
    main()
