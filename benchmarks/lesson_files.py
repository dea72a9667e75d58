"""How large each lesson in one file is, and how long it takes: `python -m benchmarks.lesson_files --out DIR`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from streamlit.logger import set_log_level

from viz.export_lesson.__main__ import find_lesson
from viz.export_lesson.document import lesson_html
from viz.lessons.library import SHIPPED

MOST = 10.0
"""MB that a file may have."""


def main() -> None:
    """Write shipped lessons, in each language, and say how large they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="lessons; all of them if none is named")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the files")
    options = parser.parse_args()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    set_log_level("ERROR")  # Streamlit warns that nobody is connected
    too_large = []
    for path in sorted(each for each in SHIPPED.rglob("*.yaml") if each.stem in options.names or not options.names):
        start = time.perf_counter()
        written = lesson_html(find_lesson(path.stem)).encode()
        seconds = time.perf_counter() - start
        (out / f"{path.stem}.html").write_bytes(written)
        megabytes = len(written) / 1e6
        too_large += [path.stem] if megabytes > MOST else []
        sys.stdout.write(f"{path.stem}: {megabytes:.1f} MB in {seconds:.0f} s\n")
        sys.stdout.flush()
    sys.exit(1 if too_large else 0)


if __name__ == "__main__":
    main()
