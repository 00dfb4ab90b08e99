"""Checks the options of judges behind an API, and keeps secrets out of what is shown."""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b64decode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ...records.errors import ConfigError
from ...text.strings import lazy_pattern
from .redaction import Secret, Secrets

_CREDENTIAL_NAMES = ("auth", "key", "token", "secret", "cookie", "password", "signature")


class Endpoint:
    """Where the API is, and the key for it.

    Attributes:
        url: the address as given; it may contain a user, a password and a query.
        key: the API key; empty where none is needed.
        public_url: the address without user, password and query.
        host: of the address.
        proxy: that of the environment on the way there; empty if there is none.
        secrets: what must never be shown.
        warnings: what the user should know about the way there.

    Raises:
        ConfigError: it is no HTTP address, or the key has a sign that no key has.
    """

    def __init__(self, url: str, key: str = "", more_secrets: Iterable[str] = ()) -> None:
        # Neither a message nor a local variable shows the address: it may contain a secret.
        if not _is_address(url):
            raise ConfigError("base_url: must be an HTTP address such as https://host/v1")
        if any(not "!" <= c <= "~" for c in key):
            raise ConfigError(
                "api_key: contains a character that keys never contain "
                "(a blank, a line break, or a non-ASCII letter)"
            )
        scheme, host = urlsplit(url).scheme, urlsplit(url).hostname or ""
        self.url, self.key, self.host = Secret(url), Secret(key), host
        self.public_url = f"{scheme}://{host_of(url)}{urlsplit(url).path}"
        self.proxy = Secret("" if is_here(host) else _proxy_for(scheme, host))
        # The password in an address, or the only name in it, which is then a token.
        logins = [login[1] or login[0] for login in map(login_of, (url, self.proxy)) if login]
        in_query = credentials(dict(parse_qsl(query := Secret(urlsplit(url).query))))
        self.secrets = Secrets((key, query, *in_query, *more_secrets, *logins))
        self.warnings: tuple[str, ...] = ()
        trusted = os.environ.get("FAITHFULNESS_ASSERT_HTTP_HOSTS", "").lower().split(",")
        if not (scheme == "https" or is_here(host) or host in map(str.strip, trusted)):
            problem = f"base_url is http, not https: texts and any key go to {host} in the open"
            hint = f"If its network is yours, set FAITHFULNESS_ASSERT_HTTP_HOSTS={host}"
            self.warnings = (f"{problem}. {hint}",)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Host and port of an address."""
    return urlsplit(url).netloc.rpartition("@")[2]


def login_of(url: str) -> tuple[str, str] | None:
    """User and password in an address."""
    parts = urlsplit(url)
    user, password = parts.username or "", parts.password or ""
    return (unquote(user), unquote(password)) if user or password else None


def is_here(host: str) -> bool:
    """Whether a host is this machine, by its name alone."""
    with suppress(ValueError):
        address = ip_address(host)
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    host = host.rstrip(".")
    return host == "localhost" or host.endswith(".localhost")


def _proxy_for(scheme: str, host: str) -> str:
    """The proxy of the environment, or of the system, on the way to a host; "" for none."""
    by_system = sys.platform in ("darwin", "win32")
    if not by_system and not any(name.lower().endswith("_proxy") for name in os.environ):
        return ""
    from urllib.request import getproxies, proxy_bypass  # it takes as long as a grade to import

    if proxy_bypass(host):
        return ""
    proxies = {name: Secret(proxy) for name, proxy in getproxies().items()}
    proxy = proxies.get(scheme) or proxies.get("all") or ""
    proxy = proxy if "://" in proxy or not proxy else Secret(f"http://{proxy}")
    try:
        return proxy if urlsplit(proxy).port != 0 else ""
    except ValueError:
        raise ConfigError(f"{scheme}_proxy: the environment's proxy is no address") from None


def credentials(fields: Mapping[str, object]) -> list[Secret]:
    """What in these headers, parameters or attributes may be a key, a token or a password."""
    words: list[str] = []
    for name, value in fields.items():
        if isinstance(value, str) and any(part in name.lower() for part in _CREDENTIAL_NAMES):
            scheme, _, rest = value.strip().partition(" ")
            words += (rest or scheme).split("; ")  # of cookies, each
            if scheme.lower() == "basic":
                with suppress(ValueError):
                    words.append(b64decode(rest).decode().partition(":")[2])
    return [Secret(one) for one in words if one]


# ---------------------------------------------------------------- options


def hide_key(options: dict[str, Any]) -> None:
    """Makes key, address and headers among these options hide themselves: tracebacks show locals.

    Raises:
        ConfigError: the key or the address is no string.
    """
    if isinstance(headers := options.get("extra_headers"), Mapping):
        headers = {name: Secret(v) if isinstance(v, str) else None for name, v in headers.items()}
    if headers is not None:
        options["extra_headers"] = headers if isinstance(headers, dict) else ()  # an error later
    del headers
    for name in ("api_key", "base_url"):
        if isinstance(value := options.pop(name, None), str):
            options[name] = Secret(value)
        elif value is not None:
            kind, value = type(value).__name__, None
            raise ConfigError(f"{name}: must be a string, got {kind}")


_SET = frozenset(
    "max_tokens max_completion_tokens temperature seed reasoning_effort messages model system "
    "response_format stream n".split()
)
_HEADER_NAME = lazy_pattern(r"[\w!#$%&'*+.^`|~-]{1,200}", re.ASCII)
_HEADERS_BY_US = ("host", "content-length", "content-type", "transfer-encoding", "connection")


def check_body(value: object) -> dict[str, Any]:
    """The option ``extra_body`` as plain JSON; empty if it is None.

    Raises:
        ConfigError: it is no mapping, no JSON, or sets what we set ourselves or by an option.
    """
    if not isinstance(value, Mapping | None) or not all(isinstance(n, str) for n in value or ()):
        raise ConfigError("extra_body: must be a mapping of parameters to their values")
    if own := _SET.intersection(value or ()):
        raise ConfigError(f"extra_body: must not set {min(own)!r}: an option or each ask sets it")
    try:
        body: dict[str, Any] = json.loads(json.dumps(dict(value or {}), allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ConfigError("extra_body: must be plain JSON") from None
    return body


def check_headers(value: object) -> dict[str, Secret]:
    """The option ``extra_headers``, names in small letters. No message shows a value.

    Raises:
        ConfigError: it is no mapping of names to texts as HTTP allows them.
    """
    if not isinstance(value, Mapping | None):
        raise ConfigError("extra_headers: must be a mapping of names to texts")
    checked = {}
    for name, text in (value or {}).items():
        is_name = isinstance(name, str) and _HEADER_NAME.fullmatch(name)
        if not is_name or name.lower() in _HEADERS_BY_US:
            raise ConfigError(f"extra_headers: {name!r:.60} is no header that you can set")
        plain = isinstance(text, str) and text.isascii() and text.isprintable()
        if not plain or text != text.strip():
            problem = "without line breaks, blanks at its ends or letters beyond ASCII"
            raise ConfigError(f"extra_headers: {name!r} must be a text {problem}")
        checked[name.lower()] = Secret(text)
    return checked
