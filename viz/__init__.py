"""Visualisation: figures of traces, and the Streamlit pages that show them."""
