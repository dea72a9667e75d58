"""Paths under which Streamlit's server answers what is no page; a documented list of them would replace this file."""

from __future__ import annotations

METRICS = "/_stcore/metrics"

AGENT = "/_stcore/agent"
"""Where Streamlit lets programs drive the app, if it is told to: past the limits on visitors, so that it is closed."""

UPLOADS = "/_stcore/upload_file/"
"""What stands in an upload's path, before the session and the file."""
