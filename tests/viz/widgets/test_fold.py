"""A fold whose content is made once it is opened."""

from streamlit.testing.v1 import AppTest


def folded() -> None:
    from viz.widgets.fold import unfolded

    fold = unfolded("Numbers", "numbers")
    if fold is not None:
        fold.dataframe([{"a": 1}])


def test_what_is_in_a_fold_is_made_once_it_is_opened() -> None:
    app = AppTest.from_function(folded).run()
    assert [each.label for each in app.expander] == ["Numbers"]
    assert not app.dataframe
    app.session_state["numbers"] = True
    app.run()
    assert len(app.expander[0].dataframe) == 1
