"""What a container may do: only the proxy is reached from outside, nothing writes to its root, nobody is root."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def test_the_proxy_alone_is_reached_from_outside() -> None:
    services = COMPOSE["services"]
    assert {name for name, each in services.items() if "ports" in each} == {"proxy"}
    servers = [name for name, each in services.items() if each.get("image") == "attention-bench"]
    assert len(servers) == 2
    proxied = re.search(r"reverse_proxy (.*) {", (ROOT / "deploy" / "Caddyfile").read_text())
    assert proxied is not None
    assert proxied[1].split() == [f"{name}:8501" for name in servers]
    assert "lb_policy cookie" in (ROOT / "deploy" / "Caddyfile").read_text()


def test_no_container_writes_to_its_root_or_has_rights() -> None:
    for each in COMPOSE["services"].values():
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert re.findall(r"^VOLUME (.*)$", DOCKERFILE, re.MULTILINE) == ["/data"]
    assert "HEALTHCHECK" in DOCKERFILE


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    """`.dockerignore` names what comes along: all that the Dockerfile copies, and nothing of the tests."""
    taken = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        name.removeprefix("./")
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert copied == taken
    assert all((ROOT / name).exists() for name in copied)
