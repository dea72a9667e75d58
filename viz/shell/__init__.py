"""Every dependence on what Streamlit does not promise: one file and one fast test for each assumption."""
