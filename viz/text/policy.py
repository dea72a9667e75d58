"""Content security policy of saved files: load nothing, run only the file's own scripts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

INLINE = "'unsafe-inline'"


def hash_of(text: str) -> str:
    """Return how a policy names a script or a style by what it says."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def policy_of_file(scripts: Iterable[str] = (), style: str = INLINE) -> str:
    """Return the policy of a page of HTML that needs nothing beside it."""
    hashes = " ".join(map(hash_of, dict.fromkeys(scripts))) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src {style}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
