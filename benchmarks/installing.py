"""What each way of installing costs, from nothing to the first picture: ``python -m benchmarks.installing [WAY ...]``.

Each way has a folder and an environment of its own, and is done as a reader does it: the repository is fetched,
packages are downloaded and installed, the server is started, and Chromium opens the Bench until three maps are painted.
The repository comes from this machine. Packages come from where pip is set up to look, its cache left out; the time of
their download (with what pip takes to choose them) says how fast that was. Sizes on disk are those of `du`. At the end,
the largest packages of the last environment.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import distributions
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from packaging.requirements import Requirement
from playwright.sync_api import Browser, sync_playwright
from tqdm import tqdm

from benchmarks.measure import Json, report
from benchmarks.page import TARGETS, launch_chromium, open_page, painted
from benchmarks.serving import ROOT, free_port, running
from models.command import check_known, run

AS_A_HOST = "[uploadpack]\nallowFilter = true\n"
LARGEST = 15


def call(*command: str | Path) -> None:
    """Run a command, with a repository of this machine served as a host serves one."""
    with tempfile.NamedTemporaryFile("w") as settings:
        settings.write(AS_A_HOST)
        settings.flush()
        environment = os.environ | {"GIT_CONFIG_GLOBAL": settings.name}
        subprocess.run(command, check=True, capture_output=True, env=environment, cwd=ROOT)


def clone(*options: str) -> Callable[[Path], None]:
    """Return what clones this repository."""
    return lambda folder: call("git", "clone", "--quiet", *options, ROOT.as_uri(), folder)


def sparse(folder: Path) -> None:
    """Clone what a class needs."""
    call("sh", ROOT / "deploy" / "sparse-clone.sh", ROOT.as_uri(), folder)


def wheel(folder: Path) -> None:
    """Build the wheel of the app."""
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)


@dataclass(frozen=True, slots=True)
class Way:
    """How it comes: what fetches it, what pip is asked for, and what starts it."""

    fetch: Callable[[Path], None]
    packages: tuple[str, ...] = ("--no-deps", "--requirement", "requirements.lock")
    start: tuple[str, ...] = ("streamlit", "run", "app.py", "--server.headless=true", "--server.port")


WAYS = {
    "full clone": Way(clone()),
    "shallow clone": Way(clone("--depth=1")),
    "sparse clone": Way(sparse),
    "wheel": Way(wheel, ("attention-bench", "--find-links", "."), ("attention-bench", "--no-browser", "--port")),
}


def on_disk(folder: Path) -> float:
    """Return what `du` says, in MB of a million bytes."""
    said = subprocess.run(["du", "-sk", folder], check=True, capture_output=True, text=True).stdout
    return int(said.split()[0]) * 1024 / 1e6


def over_the_line(folder: Path) -> float:
    """Return the MB that were sent: the packs of a clone, or a folder of wheels."""
    sent = [*folder.glob(".git/objects/pack/*.pack")] or [*folder.glob("*.whl")]
    return sum(each.stat().st_size for each in sent) / 1e6


def peak_of(server: psutil.Process) -> float:
    """Return the most memory that a server and its children have had, in MB; what they share counts for each."""
    each = [Path(f"/proc/{process.pid}/status").read_text() for process in (server, *server.children(recursive=True))]
    return sum(int(found) for status in each for found in re.findall(r"VmHWM:\s+(\d+)", status)) * 1024 / 1e6


def first_picture(way: Way, programs: Path, folder: Path, browser: Browser) -> float:
    """Start the app and wait for its first picture; return the most memory that this took."""
    port = free_port()
    with running([programs / way.start[0], *way.start[1:], str(port)], folder) as server:
        page = open_page(browser, port)
        painted(page, TARGETS["bench"], "")
        page.close()
        return peak_of(server)


def measure(name: str, folder: Path, browser: Browser) -> dict[str, Any]:
    """Do it from nothing, and return its row."""
    way, place, wheels, environment = WAYS[name], folder / "it", folder / "wheels", folder / "environment"
    python, times = environment / "bin" / "python", [time.perf_counter()]

    def timed(step: Callable[[], Any]) -> Any:
        done = step()
        times.append(time.perf_counter())
        return done

    def pip(*arguments: str | Path) -> None:
        subprocess.run([python, "-m", "pip", *arguments, "--quiet", *way.packages], cwd=place, check=True)

    timed(lambda: way.fetch(place))
    timed(lambda: venv.create(environment, with_pip=True))
    timed(lambda: pip("download", "--no-cache-dir", "--dest", wheels))
    timed(lambda: pip("install", "--no-index", "--find-links", wheels))
    peak = timed(lambda: first_picture(way, environment / "bin", place, browser))
    seconds = [round(end - begin) for begin, end in pairwise(times)]
    packages = over_the_line(wheels) - (over_the_line(place) if name == "wheel" else 0)
    return {
        "way": name,
        "repository or wheel, MB": round(over_the_line(place)),
        "packages, MB": round(packages),
        "environment on disk, MB": round(on_disk(environment)),
        "with the clone, MB": round(on_disk(environment) + (0 if name == "wheel" else on_disk(place))),
        "fetched, s": seconds[0],
        "packages downloaded, s": f"{seconds[2]} ({packages / max(seconds[2], 1):.0f} MB/s)",
        "installed, s": seconds[1] + seconds[3],
        "first picture, s": seconds[4],
        "in all, s": round(times[-1] - times[0]),
        "peak memory, MB": round(peak),
    }


def largest(environment: Path) -> list[dict[str, Any]]:
    """Return the largest packages of an environment, and who asks for each."""
    found = list(distributions(path=[str(each) for each in environment.glob("lib/*/site-packages")]))
    wishes = [(each.name, Requirement(wish)) for each in found for wish in each.requires or []]
    asked = [(by, wish.name) for by, wish in wishes if not wish.marker or wish.marker.evaluate({"extra": ""})]
    files = {each.name: [Path(str(each.locate_file(file))) for file in each.files or []] for each in found}
    sizes = {name: sum(each.stat().st_size for each in listed if each.is_file()) for name, listed in files.items()}
    del sizes["pip"]
    return [
        {
            "package": name,
            "MB": round(sizes[name] / 1e6),
            "asked for by": ", ".join(sorted(by for by, wish in asked if wish.lower() == name.lower())) or "the app",
        }
        for name in sorted(sizes, key=lambda name: -sizes[name])[:LARGEST]
    ]


def main(
    ways: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(WAYS)}; all if none is named.")] = None,
    *,
    json: Json = False,
) -> None:
    """Measure each from nothing, and write a table."""
    check_known(ways or [], WAYS)
    rows = []
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = launch_chromium(driver)
        for name in tqdm(ways or WAYS, disable=None):
            rows.append(measure(name, Path(folder) / name, browser))
        browser.close()
        packages = largest(Path(folder) / name / "environment")
    report("From nothing to the first picture", rows, as_json=json)
    report("The largest packages", packages, as_json=json)


if __name__ == "__main__":
    run(main)
