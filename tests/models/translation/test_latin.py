"""Which language a text in Latin letters is in: named where it is told, never of English with names and loanwords."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.translation.examples import EXAMPLES
from models.translation.latin import latin_language

PHRASES = Path(__file__).parents[3] / "training" / "en-fr" / "phrases-sentences.tsv"
ENGLISH = (
    *EXAMPLES["en-fr"].values(),
    "She ordered a café au lait and a crème brûlée.",
    "The naïve fiancée's résumé was à la carte.",
    "Madame de Sauve and D'Artagnan met François, Zoë and Jürgen.",
    "Bad habits die hard.",
    "Colorless green ideas sleep furiously.",
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.",
    "Vincent van Gogh painted sunflowers.",
    "El Niño warms oceans.",
    "Le Monde reported losses.",
    "Fresh bread smells wonderful.",
    "Paris, Lyon, Marseille, Toulouse, Nice, Nantes, Lille.",
    "Café de Paris",
    "Rio de Janeiro",
    "Son, come on!",
    "déjà vu",
    "asdf qwer zxcv",
    "Ha ha ha",
    "x = y + z",
    "42",
    "",
)
OTHERS = {
    "fr": ("Je t\N{RIGHT SINGLE QUOTATION MARK}aime.", "C'est la vie.", "Où est la gare ?", "Les enfants sont là."),
    "de": ("Ich habe einen Hund.", "Die Katze schläft auf dem Sofa.", "Das ist ein Test.", "Wo bist du gewesen?"),
    "es": ("Hola, ¿cómo estás?", "Me gusta el café.", "El perro come la manzana.", "¿Dónde está mi libro?"),
    "it": ("Non lo so ancora.", "Il gatto è sul tavolo della cucina.", "Che cosa fai questa sera?"),
    "pt": ("Eu não falo inglês.", "O gato está em cima da mesa.", "Você tem uma casa muito bonita."),
    "nl": ("Ik heb een hond.", "De kat slaapt op de bank.", "Waar is het station?"),
    "other": ("Tôi thích ăn táo.", "Saya suka makan nasi goreng dengan ayam.", "Lubię jeść świeże jabłka."),
}


@pytest.mark.parametrize("text", ENGLISH)
def test_english_with_names_and_loanwords_is_no_other_language(text: str) -> None:
    assert latin_language(text) in ("en", None)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in OTHERS.items() for text in texts])
def test_another_language_is_named(language: str, text: str) -> None:
    assert latin_language(text) == language


def test_of_everyday_sentences_none_in_english_is_another_language_and_nearly_all_in_french_are() -> None:
    pairs = [line.split("\t")[:2] for line in PHRASES.read_text(encoding="utf8").splitlines()]
    french = [text for _english, text in pairs if len(text.split()) >= 5]
    assert len(pairs) > 8000
    assert [text for text, _french in pairs if latin_language(text) not in ("en", None)] == []
    assert sum(latin_language(text) not in ("en", None) for text in french) > 0.98 * len(french)
    assert sum(latin_language(text) == "fr" for text in french) > 0.9 * len(french)


@given(st.text(alphabet="abcABC '\N{RIGHT SINGLE QUOTATION MARK}éñß。1.\n", max_size=60))
def test_any_text_is_looked_at(text: str) -> None:
    latin_language(text)
