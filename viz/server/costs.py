"""Cost model of runs: learns each model's milliseconds per character, to balance the worker pool."""

from __future__ import annotations

from threading import Lock

from viz.server.run_request import RunRequest

NEWEST = 0.2
"""What the newest run weighs beside all before it."""


class Costs:
    """Milliseconds a character that runs of each model took. Safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rates: dict[str, float] = {}

    def learn(self, question: RunRequest, milliseconds: float) -> None:
        """Note how long a run took."""
        if milliseconds <= 0:
            return
        rate = milliseconds / (1 + len(question.source))
        with self._lock:
            self._rates[question.key] = (1 - NEWEST) * self._rates.get(question.key, rate) + NEWEST * rate

    def of(self, question: RunRequest) -> float:
        """Return about how many milliseconds a run will take; of a model not seen yet, as of the mean of the others."""
        with self._lock:
            usual = sum(self._rates.values()) / len(self._rates) if self._rates else 1.0
            return self._rates.get(question.key, usual) * (1 + len(question.source))
