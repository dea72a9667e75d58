"""The twins with the mask and without: the page shows the figures of the file, in both languages."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from models.readers.unmasked_table import unmasked_table


def script() -> None:
    from viz.widgets.unmasked_twins import show_twins

    show_twins()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_shows_the_figures_of_the_file(language: str) -> None:
    table = unmasked_table()
    assert table is not None
    app = AppTest.from_function(script)
    app.query_params["lang"] = language
    app.run()
    assert not app.exception
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in app.markdown[0].value.splitlines()]
    for each, column in ((table.masked, 0), (table.unmasked, 1)):
        for row, (right, perplexity) in zip(
            rows[2:4],
            ((each.forced_right, each.forced_perplexity), (each.alone_right, each.alone_perplexity)),
            strict=True,
        ):
            assert f"{right:.1%}" in row[column].replace("\\", "")
            assert f"{perplexity:,.1f}" in row[column].replace("\\", "")
        assert each.example.strip() in rows[4][column].replace("\\", "")
        assert f"{each.written_perplexity:,.1f}" in rows[5][column].replace("\\", "")
    caption = app.caption[0].value
    assert all(f"{count:,}" in caption for count in (table.layers, table.tokens, table.sentences))
