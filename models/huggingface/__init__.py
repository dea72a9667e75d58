"""Any transformers model, observed through its public attention interface.

Modules: `attention` (the attention and mask functions that call the hooks), `layers` (which layers a network has, held
against its own eager attention), `tokens` (text to records and back; `marian`: those of Marian), `model`
(`PretrainedModel.attend`), `outputs` (what a model gave elsewhere, as the fields of a record), `files` (which files are
read) and `loading` (from a folder or the embedded package).
Importing this package imports torch and transformers only with those.
"""
