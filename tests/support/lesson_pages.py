"""The pages of the app with what the links of each call their settings, as lessons are checked against them."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import viz.pages
from viz.widgets.frame import known_pages

PAGES = known_pages(import_module(f"viz.pages.{folder.name}.page").PAGE for folder in iter_modules(viz.pages.__path__))
