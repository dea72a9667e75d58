"""Where a transformers network computes, and with which numbers. Importing it does not import torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.errors import InputError
from models.messages import Message

if TYPE_CHECKING:
    import torch
    from torch import nn

DEVICES = ("cpu", "auto", "cuda", "mps")
"""``auto`` is the first of CUDA, MPS and the CPU that there is."""

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a network is, and the numbers of its weights; its softmax and all that is recorded are float32."""

    device: str = "cpu"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name, value, allowed in (("device", self.device, DEVICES), ("dtype", self.dtype, DTYPES)):
            if value not in allowed:
                known = ", ".join(allowed)
                message = Message("{name}: {value!r} is not one of {known}", name=name, value=value, known=known)
                raise InputError(message)

    def numbers(self) -> torch.dtype:
        """Return the type of the weights."""
        import torch

        found: torch.dtype = getattr(torch, self.dtype)
        return found

    def place(self) -> str:
        """Return the device; InputError if this machine has none of that kind."""
        import torch

        there = [name for name, has in (("cuda", torch.cuda), ("mps", torch.backends.mps)) if has.is_available()]
        if self.device == "auto":
            return (*there, "cpu")[0]
        if self.device not in (*there, "cpu"):
            message = Message(
                "PyTorch finds no {device} on this machine; it finds {there}.",
                device=self.device,
                there=", ".join((*there, "cpu")),
            )
            raise InputError(message)
        return self.device


ON_CPU = Placement()


def placed(network: nn.Module, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a network where the network is."""
    import torch

    device = next(network.parameters()).device
    return {name: values.to(device) if isinstance(values, torch.Tensor) else values for name, values in inputs.items()}


def note_of(network: nn.Module) -> tuple[Message, ...]:
    """Say where a network computed and with which numbers, if not on the processor in float32."""
    import torch

    weights = next(each for each in network.parameters() if each.is_floating_point())
    if weights.device.type == "cpu" and weights.dtype == torch.float32:
        return ()
    return (
        Message(
            "computed in {dtype} on {device}; softmax and trace in float32",
            dtype=str(weights.dtype).removeprefix("torch."),
            device=weights.device.type,
        ),
    )
