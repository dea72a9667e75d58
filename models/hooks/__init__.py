"""The one instrumentation: `HookPoint` on the line after a computation, `capture` around a run.

A hook point is an identity module. With no session open it returns its input: no copy, no cost. A session lives in
a ContextVar, so that two visitors who run one shared model in two threads never see each other's captures,
and it always closes: after success, an error or bad input.
"""

from models.errors import CaptureError
from models.hooks.points import AttentionWeights, HookPoint, VectorPoint
from models.hooks.session import Session, capture, current_session, observe, taking

__all__ = [
    "AttentionWeights",
    "CaptureError",
    "HookPoint",
    "Session",
    "VectorPoint",
    "capture",
    "current_session",
    "observe",
    "taking",
]
