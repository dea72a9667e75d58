"""What is shown: figures made of traces, and the pages that show them."""
