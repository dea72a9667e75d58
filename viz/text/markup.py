"""Escaped text for pages, and words with a tooltip."""

from __future__ import annotations

import re
import string
from html import escape

_LINKED = re.compile(r"https?(?=://)|www(?=\.)|@", re.IGNORECASE)
"""Where Markdown finds addresses and mail addresses, after all marks were read, so that no backslash hides them."""
_JOINER = "\u2060"  # takes no place, and parts what would be a link
_MARKDOWN = str.maketrans({character: f"\\{character}" for character in string.punctuation})


def noted(text: str, says: str, style: str) -> str:
    """Return a word as HTML with a note: pointing at it, tapping it or going to it with the keyboard shows the note."""
    return f'<span class="noted" tabindex="0" title="{escape(says, quote=True)}" style="{style}">{escape(text)}</span>'


def plain(text: str) -> str:
    r"""Return `text` such that Streamlit's Markdown shows it as it is: a visitor's text is never markup."""
    return _LINKED.sub(rf"\g<0>{_JOINER}", text).translate(_MARKDOWN)
