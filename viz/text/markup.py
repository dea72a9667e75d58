"""Text on a page that is no markup, and words with a note."""

from __future__ import annotations

import string
from html import escape

_MARKDOWN = str.maketrans({character: f"\\{character}" for character in string.punctuation})


def noted(text: str, says: str, style: str) -> str:
    """Return a word as HTML with a note: pointing at it, tapping it or going to it with the keyboard shows the note.

    Parameters
    ----------
    text, says : str
        The word and its note; both are escaped.
    style : str
        CSS of the word.
    """
    return f'<span class="noted" tabindex="0" title="{escape(says, quote=True)}" style="{style}">{escape(text)}</span>'


def plain(text: str) -> str:
    r"""Return `text` such that Streamlit's Markdown shows it as it is: a visitor's text is never markup.

    Parameters
    ----------
    text : str
        Anything a visitor may have typed.

    Examples
    --------
    >>> plain("*a*")
    '\\*a\\*'
    """
    return text.translate(_MARKDOWN)
