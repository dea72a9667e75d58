"""Rate limit of log records that visitors can cause."""

from __future__ import annotations

import logging
from time import monotonic

from viz.shell.loggers import OF_VISITORS

A_MINUTE = 5
"""Records of one kind that are written in a minute."""

MOST_KINDS = 1000

_OF_VISITORS = ("uvicorn.error", *OF_VISITORS)
"""Loggers to which what comes from a browser is told."""


class Seldom(logging.Filter):
    """Lets `A_MINUTE` records of one kind pass in a minute, and counts the others."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written; the first of a minute says how many were not."""
        now, kind = monotonic(), _kind_of(record)
        begun, count = self._kinds.get(kind, (now, 0))
        if now - begun > 60:
            if count > A_MINUTE:
                record.msg = f"{record.msg} (and {count - A_MINUTE} times more)"
            begun, count = now, 0
        if len(self._kinds) >= MOST_KINDS:
            self._kinds.clear()
        self._kinds[kind] = begun, count + 1
        return count < A_MINUTE


def _kind_of(record: logging.LogRecord) -> tuple[object, ...]:
    """Return where a record comes from, and where the error in it was raised."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    trace = error.__traceback__ if error else None
    while trace and trace.tb_next:
        trace = trace.tb_next
    raised = (type(error), trace.tb_frame.f_code if trace else None, trace.tb_lineno if trace else 0)
    return (record.name, record.pathname, record.lineno, *raised)


def bound_logs() -> None:
    """Bound what is written of visitors, from now on."""
    for name in _OF_VISITORS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, Seldom) for each in logger.filters):
            logger.addFilter(Seldom())
