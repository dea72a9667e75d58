"""The equations of attention as pure functions, and the torch networks that call them."""
