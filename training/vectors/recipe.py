"""A recipe of static word vectors: everything that their training depends on, in one TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from training.readers.recipe import TextFile
from training.recipes import RecipeError, read_values


@dataclass(frozen=True, slots=True)
class VectorRecipe:
    """What to train, on what, and how."""

    key: str  # name of the vectors, of their folder and of their run
    # to train on; to measure the run by; to measure the vectors by. No line of the last two is trained on.
    files: tuple[TextFile, ...]
    # to train on; to measure the run by; to measure the vectors by. No line of the last two is trained on.
    held_out: tuple[TextFile, ...]
    # to train on; to measure the run by; to measure the vectors by. No line of the last two is trained on.
    test: tuple[TextFile, ...]
    words: int = 10_000  # how many of the commonest words have a vector
    width: int = 100  # numbers in a vector
    window: int = 5  # the farthest word that is predicted; how far it goes is drawn from 1 to this, anew for each word
    negatives: int = 5  # words drawn from the noise for each word that is predicted: k of equation 4
    noise_power: float = 0.75  # the noise is the words' frequencies to this power
    subsampling: float = 1e-4  # t: a word of frequency f is left out with probability 1 - sqrt(t / f)
    epochs: int = 3
    pairs_per_batch: int = 8192  # of a word and one that stands near it
    learning_rate: float = 2e-3  # of Adam, at the start; it falls linearly to 0
    seed: int = 1


def read_vector_recipe(path: Path) -> VectorRecipe:
    """Read a TOML recipe; RecipeError names what is wrong in it."""
    texts = ("files", "held_out", "test")
    values = read_values(path, VectorRecipe, ("key", *texts), {})
    try:
        for name in texts:
            values[name] = tuple(TextFile(**each) for each in values[name])
    except TypeError as error:
        message = f"{path.name}: {error}"
        raise RecipeError(message) from error
    return VectorRecipe(**values)
