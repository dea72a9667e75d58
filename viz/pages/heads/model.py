"""Choice of the Heads page's model: ours, a folder of the server, or the hub."""

from __future__ import annotations

import time

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.huggingface.hub import look_up
from models.huggingface.hub_settings import HubSettings, OfflineError, check_identity
from models.huggingface.hub_store import HubModel, stored
from models.huggingface.reader_entries import reader_entry
from models.keys import identity_of, is_of_hub, mechanism_of, pretrained_key
from models.mechanisms import mechanisms, multi_head
from viz.pages.heads.settings import MODEL, SECOND, TYPED
from viz.server.hub import hub_settings, own_models
from viz.server.loading import described, usable
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import Host
from viz.shell.script_run import leave_if_asked
from viz.text.language import _, _n, say
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.language_pair import latest_pair, pair_to_name
from viz.widgets.offered import say_offer
from viz.widgets.sentence import USUAL
from viz.widgets.settings import choose, link, unknown

KEY = f"{multi_head().key}-{USUAL}"
"""The model of a visitor who brings nothing."""

OFFER = "google-bert/bert-base-uncased"
_FOUND, _SEEN, _BOX = "hub-found", "hub-seen", "hub-name"
POLL = 0.2  # seconds between two looks at how far a download is


def choose_model(messages: DeltaGenerator, naming: DeltaGenerator, *, turned: bool) -> str | None:
    """Show which model is chosen, and a box for the name of one of the hub if that is what is wanted."""
    settings = hub_settings()
    labels = _labels(settings, messages)
    if KEY not in labels:
        title = _(multi_head().title)
        messages.warning(_("{title} is missing: the weights {key} are not installed.", title=title, key=KEY))
    ours = f"{multi_head().key}-{latest_pair()}"
    if turned and ours != KEY and ours in labels:
        link.store(MODEL.name, ours)
    if link.text_of(MODEL) is None and (pair := pair_to_name()) and f"{multi_head().key}-{pair}" in labels:
        link.store(MODEL.name, f"{multi_head().key}-{pair}")
    wanted = link.text_of(MODEL) or ""
    if is_of_hub(wanted) and wanted not in labels:
        try:
            labels[wanted] = _("{name} (hub)", name=check_identity(identity_of(wanted), settings))
        except models.InputError as error:
            messages.error(plain(say(error)), icon=":material/cloud_off:")
            unknown.discard(MODEL.name)
    say_offer(MODEL, labels, messages)
    if (settings.enabled and not settings.allowed) or settings.why_off:
        labels[TYPED] = _("a model of the Hugging Face hub…")
    if not labels:
        return None
    with st.container(width=335, key="model-box"):
        key = choose(MODEL, labels, default=KEY if KEY in labels else None)
    if key == TYPED:
        with naming:
            _name_box(settings)
    return None if key == TYPED else key


def turn_to_pair(pair: str) -> None:
    """Let our model of a pair be opened, as if the reader had chosen it; as a callback of a control."""
    unknown.forget()
    key = f"{multi_head().key}-{pair}"
    link.store(MODEL.name, MODEL.write(key, KEY))


def choose_second(first: str) -> str | None:
    """Let the reader choose the model that `first` is compared with; None if there is no other."""
    labels = {key: name for key, name in _labels(HubSettings(enabled=False)).items() if key != first}
    if not labels:
        return None
    if link.text_of(SECOND) == first:  # it has just become the first
        link.drop(SECOND)
    with st.container(width=430):
        return choose(SECOND, labels)


def open_model(host: Host, key: str, messages: DeltaGenerator) -> bool:
    """Wait until the model of `key` is ready, saying how far it is; before a download ask."""
    if not models.is_pretrained(key):
        return bool(usable(host, (key,), messages))
    if not host.is_settled(key) and not host.is_begun(key) and not _may_begin(key, messages):
        return False
    waiting = st.container()
    if not host.is_settled(key):
        with waiting:
            _wait(host, key)
    try:
        host.model(key)
    except ModelUnavailableError as error:
        with messages:
            st.error(plain(say(error)), icon=":material/error:")
            st.button(_("Try again"), key=f"again-{key}", on_click=_try_again, args=(host, key))
        return False
    seen: tuple[str, ...] = session.recall(_SEEN, ())
    if is_of_hub(key) and key not in seen:
        session.keep(_SEEN, (*seen, key))
    return True


def title_of(host: Host, key: str) -> str:
    """Return the name of the model of `key`, as people write it."""
    if models.is_pretrained(key):
        return host.model(key).title
    entry = models.describe(key)
    return _(entry.mechanism.title)


def _labels(settings: HubSettings, messages: DeltaGenerator | None = None) -> dict[str, str]:
    """Return what can be chosen: our models of many maps, those on this machine, those of the hub that are known."""
    labels = {}
    many = {name for name, each in mechanisms().items() if each.is_multi_head or each.is_multi_step}
    several = [key for key in models.catalog() if mechanism_of(key) in many]
    for key, entry in described(several, messages).items():
        languages = {"source": _(entry.source_language), "target": _(entry.target_language)}
        labels[key] = _("{title}: {source} to {target}", title=_(entry.mechanism.title), **languages)
    own = {key: each for key, each in own_models().items() if reader_entry(key).has_attention}
    labels |= {key: say(each.about) if each.about else _(each.title) for key, each in own.items()}
    hub = [pretrained_key(identity) for identity in settings.allowed] if settings.enabled else []
    seen: tuple[str, ...] = session.recall(_SEEN, ())
    return labels | {key: _("{name} (hub)", name=identity_of(key)) for key in (*hub, *seen)}


def _name_box(settings: HubSettings) -> None:
    """Show the box for the name of a model, and what is wrong with the name in it; or why there is none."""
    if settings.why_off:
        st.info(plain(say(settings.why_off)), icon=":material/cloud_off:")
        return
    st.text_input(
        _("Name on huggingface.co: owner/name, then Enter"),
        key=_BOX,
        placeholder=OFFER,
        autocomplete="off",
        on_change=_take_name,
        args=(settings,),
    )
    typed = session.reported(_BOX) or ""
    if not typed.strip():
        return
    try:
        check_identity(typed, settings)
    except models.InputError as error:
        st.error(plain(say(error)), icon=":material/edit:")


def _take_name(settings: HubSettings) -> None:
    try:
        identity = check_identity(session.reported(_BOX), settings)
    except models.InputError:
        return
    link.store(MODEL.name, pretrained_key(identity))
    session.forget(_FOUND)


def _try_again(host: Host, key: str) -> None:
    host.forget(key)
    session.forget(_FOUND)


def _may_begin(key: str, messages: DeltaGenerator) -> bool:
    """Return whether the model may be loaded now: it lies on this machine, or the reader has just said so."""
    identity = identity_of(key)
    if key in own_models():
        return True
    found = _looked_up(identity)
    here = stored(identity)
    if isinstance(found, HubModel) and (here is None or here.name != found.revision):
        return _ask(found, messages)
    if here is not None and not isinstance(found, models.InputError):
        return True
    if here is not None and isinstance(found, OfflineError):
        return True
    with messages:
        st.error(plain(say(found)), icon=":material/cloud_off:")
        st.button(_("Try again"), key=f"again-{key}", on_click=session.forget, args=(_FOUND,))
    return False


def _looked_up(identity: str) -> HubModel | models.InputError:
    """Ask the hub once what a model is; what it said, or why it could not be asked, is kept for the session."""
    known, found = session.recall(_FOUND, ("", None))
    if known != identity or found is None:
        try:
            with st.spinner(_("Asking the hub for {name} …", name=identity)):
                found = look_up(identity, hub_settings())
        except models.InputError as error:
            found = error
        session.keep(_FOUND, (identity, found))
    result: HubModel | models.InputError = found
    return result


def _ask(found: HubModel, messages: DeltaGenerator) -> bool:
    """Say what would be fetched; True in the run in which the reader said yes."""
    with messages, st.container(border=True, key="hub-question"):
        st.markdown(
            _n(
                "**{name}** is not on this server yet: {count} file, {size} MB to fetch from huggingface.co.",
                "**{name}** is not on this server yet: {count} files, {size} MB to fetch from huggingface.co.",
                len(found.files),
                name=plain(found.identity),
                size=f"{found.size / 1e6:,.1f}",
            )
        )
        with st.expander(_("Files")):
            st.dataframe(
                [{_("file"): name, _("bytes"): size} for name, size in found.files], hide_index=True, height="content"
            )
        return st.button(_("Fetch and open it"), key="fetch", type="primary", icon=":material/download:")


def _wait(host: Host, key: str) -> None:
    """Start loading if nobody has, and show how far it is until it is done."""
    if not host.is_begun(key):
        host.warm_up((key,))
    here = own_models()
    name = _(here[key].title) if key in here else identity_of(key)
    bar = st.progress(0.0, text=plain(_("{name} is being opened …", name=name)))
    while not host.is_settled(key):
        progress = host.progress(key)
        if progress is not None and progress[0] < progress[1]:
            done, total = progress
            megabytes = {"done": f"{done / 1e6:,.0f}", "all": f"{total / 1e6:,.0f}"}
            bar.progress(done / total, text=plain(_("{name}: {done} of {all} MB", name=name, **megabytes)))
        elif progress is not None:
            bar.progress(1.0, text=plain(_("{name} is being opened …", name=name)))
        time.sleep(POLL)
        leave_if_asked()
    bar.empty()
