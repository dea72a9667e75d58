"""Selectors of the parts of Streamlit's page: its classes, test ids and attributes, which no version promises.

Style sheets name a part as ``$text_input``. Promised are the classes ``st-key-...`` of keys; settings of its theme
replace an entry here as Streamlit offers them.
"""

from __future__ import annotations

from string import Template

SELECTORS = {
    "app": ".stApp",
    "bidi_component": ".stBidiComponent",
    "bottom": '[data-testid="stBottom"]',
    "bottom_block_container": '[data-testid="stBottomBlockContainer"]',
    "caption_container": '[data-testid="stCaptionContainer"]',
    "combo_box": ".react-aria-ComboBox",
    "element_container": ".stElementContainer",
    "header": '[data-testid="stHeader"]',
    "horizontal_block": ".stHorizontalBlock",
    "html": ".stHtml",
    "layout_wrapper": '[data-testid="stLayoutWrapper"]',
    "main": ".stMain",
    "main_block_container": '[data-testid="stMainBlockContainer"]',
    "markdown": ".stMarkdown",
    "markdown_container": '[data-testid="stMarkdownContainer"]',
    "markdown_ellipsis": ".stMarkdownEllipsis",
    "menu_button": ".stMenuButton",
    "plotly_chart": ".stPlotlyChart",
    "popover": ".stPopover",
    "popover_body": '[data-testid="stPopoverBody"]',
    "popover_button": '[data-testid="stPopoverButton"]',
    "primary_button": 'button[kind="primary"]',
    "selectbox": ".stSelectbox",
    "sidebar": '[data-testid="stSidebar"]',
    "slider": '[data-testid="stSlider"]',
    "stale": '[data-stale="true"]',
    "status_widget": '[data-testid="stStatusWidget"]',
    "tertiary_button": 'button[kind="tertiary"]',
    "text_area": '[data-testid="stTextArea"]',
    "text_input": ".stTextInput",
    "text_input_root_element": '[data-testid="stTextInputRootElement"]',
    "toast": '[data-testid="stToast"]',
    "toolbar": '[data-testid="stToolbar"]',
    "top_nav": '[data-testid="stTopNav"]',
    "top_nav_link": '[data-testid="stTopNavLink"]',
    "vertical_block": ".stVerticalBlock",
}


def with_selectors(sheet: str) -> str:
    """Return a style sheet with the selectors of the parts that it names; KeyError if one is not here."""
    return Template(sheet).substitute(SELECTORS)
