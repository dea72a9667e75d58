"""Translation with the shipped checkpoints: tokenizer, decoding, and the model that gives a trace."""
