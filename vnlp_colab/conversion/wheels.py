"""Files out of the ``vngrs-nlp`` wheels, which pip fetches; the wheels are opened as archives and never installed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab.conversion.errors import WeightsError
from vnlp_colab.resources.download import cache_dir, is_offline

if TYPE_CHECKING:
    from vnlp_colab.conversion.catalog import WheelFile

PACKAGE = "vngrs-nlp"
_PIP_SECONDS = 1800  # 98 MB over a slow line


def wheel_member(file: WheelFile, folder: Path | None = None) -> bytes:
    """Return a file of a wheel after checking its sha256; the wheel is looked for in ``folder``, then fetched."""
    wheel = find_wheel(file.wheel, folder) or fetch_wheel(file.wheel)
    try:
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(file.path)
    except (zipfile.BadZipFile, KeyError) as error:
        raise WeightsError(f"{wheel} is damaged: {error}; delete it and run the command again") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        raise WeightsError(
            f"{file.path} in {wheel} has sha256 {digest[:16]}… and should have {file.sha256[:16]}…; "
            "delete the wheel and run the command again"
        )
    return content


def find_wheel(version: str, folder: Path | None) -> Path | None:
    """Return the wheel of a version if ``folder`` has it."""
    if folder is None:
        return None
    return next(iter(sorted(folder.glob(f"vngrs_nlp-{version}-*.whl"))), None)


def fetch_wheel(version: str) -> Path:
    """Return the wheel of a version from the cache, where pip puts it the first time."""
    folder = cache_dir() / "downloads"
    wheel = find_wheel(version, folder)
    if wheel is not None:
        return wheel
    requirement = f"{PACKAGE}=={version}"
    by_hand = f"or get the {requirement} wheel yourself and name its folder with --source"
    if is_offline():
        raise WeightsError(f"{requirement} is not in {folder} and VNLP_COLAB_OFFLINE is set; unset it, {by_hand}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".pip-") as temporary:
        _pip_download(requirement, temporary, by_hand)
        fetched = find_wheel(version, Path(temporary))
        if fetched is None:
            raise WeightsError(f"pip brought no wheel for {requirement}; {by_hand}")
        return fetched.replace(folder / fetched.name)


def _pip_download(requirement: str, folder: str, by_hand: str) -> None:
    # The wheel is only unpacked, so what Python it asks for does not matter.
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--ignore-requires-python"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", folder, requirement]
    watched = sys.stderr.isatty()
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and a fixed requirement
            command,
            stdin=subprocess.DEVNULL,
            # Where someone watches, pip's progress bar is for them; else its words are kept for the error.
            stdout=sys.stderr if watched else subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_PIP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise WeightsError(f"pip did not fetch {requirement} in {_PIP_SECONDS // 60} minutes; {by_hand}") from error
    if done.returncode:
        lines = [line.removeprefix("ERROR: ") for line in (done.stderr or "").splitlines() if line.strip()]
        reason = lines[-1] if lines else f"exit code {done.returncode}"
        raise WeightsError(f"pip could not fetch {requirement}: {reason}; check the network and pip, {by_hand}")
