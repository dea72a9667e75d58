"""Room codes to type, and secret keys that are stored as hashes."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

ALPHABET = "ABCDEFGHJKMNPQRTUVWXYZ"
"""Letters that are not taken for another one, or for a digit: no I, L, O, S."""

LENGTH = 6
SECRET_BYTES = 24
LONGEST_SECRET = 100
"""Characters of what somebody types or sends as a secret, at most."""


def new_code(replica: str = "") -> str:
    """Return a code for a room, by chance."""
    return replica + "".join(secrets.choice(ALPHABET) for _place in range(LENGTH - len(replica)))


def read_code(text: str) -> str | None:
    """Normalise a typed room code (capitals, spaces, hyphens); None if it is not one."""
    code = "".join(text[: 4 * LENGTH].split()).replace("-", "").upper()
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None


def new_secret() -> str:
    """Return a secret that nobody guesses: 192 bits by chance, as letters that a link can hold."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """Return what is kept of a secret. It is by chance and long, so that one round of SHA-256 gives nothing away."""
    return sha256(secret.encode("utf8", "surrogatepass")).hexdigest()


def is_secret(secret: str, kept: str) -> bool:
    """Return whether `kept` is the hash of `secret`, in constant time."""
    return len(secret) <= LONGEST_SECRET and hmac.compare_digest(hash_of(secret), kept)
