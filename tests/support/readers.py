"""The readers of one text that are shipped, by what can be shown of them."""

from __future__ import annotations

from models.huggingface.reader_entries import READER_ENTRIES

_MEMORIES = [each for each in READER_ENTRIES.values() if each.memory]
HOPS_READERS = tuple(each.key for each in READER_ENTRIES.values() if each.hops)
LANGUAGE_MODELS = tuple(each.key for each in _MEMORIES if each.has_attention)
(N_GRAM_RNN,) = (each.key for each in _MEMORIES if not each.has_attention)
(LSTMN,) = (each.key for each in _MEMORIES if each.has_attention and not each.is_windowed)
