"""Page frame: language, style, settings, sentence, messages and footnote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from time import monotonic

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.lessons.reading import MOVED, Pages
from viz.server import used
from viz.server.configuration import configuration
from viz.server.limits import Pace, keep_pace
from viz.server.queueing import Why, telling
from viz.server.runtime import shared_host
from viz.text.language import _
from viz.widgets import session
from viz.widgets.canvas import begin_canvases
from viz.widgets.glossary import show_glossary
from viz.widgets.greeting import greet
from viz.widgets.interface_language import INTERFACE, begin_language, offer_languages, settle_language
from viz.widgets.language_pair import choose_pair, switch_to
from viz.widgets.lesson.bar import show_bar
from viz.widgets.lesson.place import LESSON, mark_own
from viz.widgets.lesson.place import enter as enter_lesson
from viz.widgets.presenting import PRESENT, present
from viz.widgets.room.bar import show_room
from viz.widgets.room.here import ROOM, catch_up
from viz.widgets.room.here import enter as enter_room
from viz.widgets.room.here import here as here_in_room
from viz.widgets.room.leading import lead, settle, share_if_led
from viz.widgets.room.listening import listen_as_student
from viz.widgets.sentence import SENTENCE, sentence_box
from viz.widgets.session import kept
from viz.widgets.settings import Setting, link, unknown
from viz.widgets.style import apply_style
from viz.widgets.turn import turn_if_asked
from viz.widgets.unsuited import Switch, UnreadableError, suit
from viz.widgets.viewport import page_width
from viz.widgets.visit import Visit, W


@dataclass(slots=True)
class Frame:
    """What a page finds when it is filled, and what it fills in."""

    turned: bool  # whether the reader has just turned to the page and brings no settings in the link
    # where messages stand: a container that the page puts where it wants them
    messages: DeltaGenerator = field(init=False)
    # the end of the row of the sentence: where a page puts its button of settings
    beside: DeltaGenerator = field(init=False)
    # what the reader typed, as the models should read it: what the link asked for in vain is named until it changes
    sentence: str = ""

    def ask(self, label: str | None = None, *, own: bool = True, first: Mapping[str, str] | None = None) -> str:
        """Ask for the languages and a sentence that they suit, with the place of messages below; return the pair."""
        pair = self.ask_any(label, own=own, first=first)
        self.suit(pair)
        return pair

    def ask_any(self, label: str | None = None, *, own: bool = True, first: Mapping[str, str] | None = None) -> str:
        """Ask as `ask` does, for any sentence: the page calls `suit` itself."""
        with asking():
            pair = choose_pair(turned=self.turned, own=own)
            self.sentence = sentence_box(label, pair=pair, first=(first or {}).get(pair))
            self.beside = beside()
        self.messages = st.container()
        return pair

    def visit(self, wanted: W) -> Visit[W]:
        """Return the record of this run; the page is measured where this is called."""
        return Visit(shared_host(), wanted, page_width(), self.messages)

    def suit(self, pair: str, *, switch: Switch = switch_to) -> None:
        """Make the sentence one for the models of `pair`; say what they will not understand, and show no more of it."""
        self.sentence = suit(self.sentence, pair, self.messages, switch)


def asking() -> DeltaGenerator:
    """Return the row in which a page asks for its sentence."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="asking")


def beside() -> DeltaGenerator:
    """Return the end of that row, where a page puts its buttons."""
    return st.container(horizontal=True, width="content", key="beside-sentence")


@dataclass(frozen=True, slots=True)
class Page:
    """A page."""

    title: str  # A marked message
    address: str  # its part of the link
    fill: Callable[[Frame], None]  # shows what is on it. Runs alone, without the frame, while somebody types.
    settings: tuple[Setting, ...]  # all that its link can hold
    footnote: str = ""  # A marked message; empty for none
    greeting: str = ""  # What a first visitor is told under the header: a marked message; empty for none
    sheets: tuple[Path, ...] = ()  # its own style sheets
    figures: tuple[str, ...] = ()  # keys of the containers that are shown when one figure is shown alone
    is_there: Callable[[], bool] = lambda: True  # whether there is anything to show on this server

    def show(self) -> None:
        """Show the page."""
        self.show_alone()
        greet(self.address, self.greeting)
        if SENTENCE in self.settings or here_in_room():
            st.caption(_privacy(SENTENCE in self.settings))
        if SENTENCE in self.settings:
            show_glossary()
        present(self.figures)

    def show_alone(self) -> None:
        """Show the page without what concerns a visitor of the server: as a file holds it."""
        begin_language()
        apply_style(*self.sheets)
        _fill(self)
        if self.footnote:
            st.caption(_(self.footnote))


def _privacy(has_sentence: bool) -> str:
    """Say what becomes of what somebody types, and where the sentence of the page is."""
    if configuration().links:
        where = _("Your sentence is part of this page's link. Anyone with the link can read it.")
    else:
        where = _("Your sentence is not in this page's link. It is forgotten when you close or reload the page.")
    now = here_in_room()
    if now is None:
        read = _("What you type is processed on this server and never saved.")
    elif now.leads:
        read = _("What you type is shown to the class. It is kept until the room is closed, for a day at most.")
    else:
        read = _(
            "What you send to the class is kept until the room is closed, for a day at most. Nothing else is saved."
        )
    return f"{read} {where}" if has_sentence else read


_ROOT, _PACE = "start", "pace"
KNOWN = "known-pages"
"""Under which the session holds the pages that a lesson can show."""


def pages_of_lessons() -> Pages:
    """Return the pages that a lesson can show, with the names of their settings."""
    found: Pages = session.recall(KNOWN, {})
    return found


def known_pages(pages: Iterable[Page]) -> Pages:
    """Return what the link of each page calls its settings, by the addresses of the pages."""
    return {page.address: tuple(name for each in page.settings for name in each.patterns) for page in pages}


@st.fragment
def _fill(page: Page) -> None:
    begin_language()
    catch_up(page.address)
    listen_as_student()
    begin_canvases()
    place = _keep_pace()
    used.begin()
    known = [name for names in pages_of_lessons().values() for name in names]
    frame = Frame(link.enter((*page.settings, LESSON, ROOM, PRESENT, INTERFACE), elsewhere=known))
    settle_language(turned=frame.turned)
    with telling(partial(_say_why, place)), suppress(UnreadableError):
        page.fill(frame)
    unknown.show(frame.messages, sentence=frame.sentence)
    mark_own(page.address)
    link.leave()
    lead(page.address, page.settings)
    share_if_led(page.address, page.settings)


def _keep_pace() -> DeltaGenerator:
    """Wait if the visitor changes more than is answered, and return where that is said.

    What they type meanwhile stays, and the newest is answered.
    """
    place = st.empty()
    said = _("Too many changes in one second. The newest result comes in a moment.")
    keep_pace(kept(_PACE, "", lambda: Pace(monotonic())), lambda: place.info(said, icon=":material/hourglass_top:"))
    place.empty()
    return place


def _say_why(place: DeltaGenerator, why: Why | None) -> None:
    """Say in `place` why the visitor waits: that too many ask at once, or that the models are away; or no more."""
    if why == "busy":
        place.info(_("Busy: too many requests at once. Trying again …"), icon=":material/hourglass_top:")
    elif why == "away":
        place.warning(_("The models cannot be reached. Trying again …"), icon=":material/cloud_off:")
    else:
        place.empty()


def box_in_place_of(old: str) -> str:
    """Return the key of the box that has become the place of a page of earlier versions."""
    return f"in-place-of-{old}"


def _lead_on(old: str, page: st.Page) -> None:
    """Turn from an old address to the page that it means now, with the box open that is in its place."""
    session.put_control(box_in_place_of(old), True)
    link.turn_to(page)


def show_app(folders: Sequence[str], *, first: str, icon: Path) -> None:
    """Show the page that the link names, with the navigation."""
    begin_language()
    pages: dict[str, Page] = {folder: import_module(f"viz.pages.{folder}.page").PAGE for folder in folders}
    there = {folder: page for folder, page in pages.items() if page.is_there()}
    # The page that opens stands at the root; Streamlit reserves a path for it too, which must not be its own name.
    paths = {folder: page.address for folder, page in there.items()} | {first: _ROOT}
    navigation = {
        folder: st.Page(page.show, title=_(page.title), url_path=paths[folder], default=folder == first)
        for folder, page in there.items()
    }

    by_address = {page.address: navigation[folder] for folder, page in there.items()}
    former = {old: by_address[new] for old, new in MOVED.items() if new in by_address}
    leading = {pages[first].address: navigation[first]} | former
    hidden = [
        st.Page(partial(_lead_on, old, page), title=page.title, url_path=old, visibility="hidden")
        for old, page in leading.items()
    ]
    chosen = st.navigation([*navigation.values(), *hidden], position="top")
    title = _("{page} · Attention Bench", page=chosen.title)
    st.set_page_config(page_title=title, page_icon=str(icon), layout="wide")
    known = known_pages(there.values())
    session.keep(KNOWN, known)
    enter_room(by_address, chosen, known)
    enter_lesson(by_address, chosen, known)
    turn_if_asked(by_address, chosen)
    settle()
    offer_languages()
    chosen.run()
    show_bar()
    show_room()
