"""Identity of a visitor: address, session, and cookies of rooms."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from viz.rooms.codes import LONGEST_SECRET, hash_of
from viz.server.room_sockets import path_of
from viz.server.rooming import shared_rooming
from viz.shell.script_run import session_id
from viz.widgets import session

TEACHER, MEMBER = "attention-bench-teacher", "attention-bench-member"
"""The cookies: the code of a room, a dot, and the teacher's key, or the secret of a member. The name of the second ends
with the code, so that nobody is a newcomer in a room where they were."""

_SECRETS = "room-secrets"


@dataclass(frozen=True, slots=True)
class Here:
    """Who somebody is in a room."""

    code: str
    key: str = ""  # the teacher's; empty for a student
    member: str = ""  # the secret of a student; empty for the teacher

    @property
    def leads(self) -> bool:
        """Whether this is the teacher."""
        return bool(self.key)

    @property
    def cookie(self) -> str:
        """What the browser keeps."""
        return f"{TEACHER}={self.code}.{self.key}" if self.leads else f"{MEMBER}-{self.code}={self.code}.{self.member}"

    def path(self, channel: str) -> str:
        """Return where the browser of this visitor listens to the room."""
        return f"{path_of(channel)}?member={hash_of(self.key or self.member)}"


def visitor() -> str:
    """Return from where the visitor asks, as far as that is known."""
    return st.context.ip_address or ""


def come(code: str) -> Here:
    """Return who the visitor is in a room: its teacher, or one and the same member whenever they come."""
    rooming, key = shared_rooming(), _kept_in(TEACHER, code)
    if key and rooming.store.is_teacher(code, key):
        return Here(code, key=key)
    secrets: dict[str, str] = session.recall(_SECRETS, {})
    secret = secrets.get(code) or _kept_in(f"{MEMBER}-{code}", code)
    member = rooming.join(code, visitor(), session_id(), secret)
    session.keep(_SECRETS, secrets | {code: member})
    return Here(code, member=member)


def _kept_in(cookie: str, code: str) -> str:
    """Return the secret that the browser has kept for a room; empty if none."""
    of, _dot, secret = str(st.context.cookies.get(cookie) or "").partition(".")
    return secret if of == code and len(secret) <= LONGEST_SECRET else ""
