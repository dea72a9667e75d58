"""Pictures drawn in the browser: the JavaScript, and the Python that feeds it."""
