"""The model layer as a service: what a page server asks over HTTP, and who answers; see docs/scale.md."""
