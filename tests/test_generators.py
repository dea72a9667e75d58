"""No test relies on numbers of the generator that all threads of a process share: each draws from its own."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent
ALLOWED = {
    "models/huggingface/test_outputs.py": "generation that samples draws from the common generator",
    "models/networks/test_hard.py": "training itself draws from the common generator",
    "training/test_training.py": "what resumes must not depend on the state that is disturbed here",
}
"""Each file that may seed it, and why."""


def seeds(source: str) -> bool:
    calls = [ast.unparse(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return bool({"torch.manual_seed", "np.random.seed", "random.seed", "transformers.set_seed"} & set(calls))


def test_each_test_that_seeds_the_common_generator_has_its_reason() -> None:
    found = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py") if seeds(path.read_text("utf8"))}
    assert found == set(ALLOWED)


def test_a_seed_is_seen_and_that_of_an_own_generator_is_none() -> None:
    assert seeds("torch.manual_seed(1)")
    assert not seeds("generator = torch.Generator().manual_seed(1)")
