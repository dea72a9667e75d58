"""Streamlit still has the loggers whose records are bounded."""

from __future__ import annotations

import logging
from importlib import import_module

import pytest

from viz.shell.loggers import OF_VISITORS


@pytest.mark.parametrize("name", OF_VISITORS)
def test_a_module_of_this_name_writes_to_a_logger_of_this_name(name: str) -> None:
    module = import_module(name)
    assert logging.getLogger(name) in vars(module).values()
