"""Sends requests, and sends those again that may succeed later."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from .errors import ApiError, ConnectionLost

RETRIED = (429, 500, 502, 503, 504)
# A Retry-After that asks for more is left to the caller, with the error that it came with.
LONGEST_RETRY_AFTER_S = 60

Headers = Callable[[str, str, str, bytes], Mapping[str, str]]


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    """Returns responses of every status, and follows no redirect, which would be signed for another path."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class Transport:
    """
    :param headers: makes the header fields of each attempt, from method, path, query and body
    """

    def __init__(self, base_url: str, headers: Headers, timeout_s: float, max_retries: int) -> None:
        parts = urllib.parse.urlsplit(base_url)
        is_more = parts.path not in ('', '/') or parts.query or parts.fragment or '@' in parts.netloc
        if parts.scheme not in ('http', 'https') or not parts.hostname or is_more:
            raise ValueError('base_url must be http or https, a host and perhaps a port, and nothing more')
        self._base_url = f'{parts.scheme}://{parts.netloc}'
        self._headers = headers
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._opener = urllib.request.build_opener(_AnyStatus)

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """The response's JSON.

        :raises ApiError: an error response, after the retries that it is worth
        :raises ConnectionLost: no response, after all retries
        :raises ValueError: something that cannot be sent
        """
        if not path.startswith('/') or re.search(r'[?#\s]', path):
            raise ValueError('path must begin with / and have no query: give that as query')
        data = b'' if body is None else json.dumps(body, allow_nan=False).encode()
        # from is a keyword of Python, so it is written from_.
        given = {_name(name): _text(value) for name, value in (query or {}).items() if value is not None}
        raw_query = urllib.parse.urlencode(given, quote_via=urllib.parse.quote)
        url = self._base_url + path + ('?' + raw_query if raw_query else '')
        for attempt in range(self._max_retries + 1):
            is_last = attempt == self._max_retries
            headers = dict(self._headers(method, path, raw_query, data))
            if idempotency_key is not None:
                headers['Idempotency-Key'] = idempotency_key
            if data:
                headers['Content-Type'] = 'application/json'
            request = urllib.request.Request(url, method=method, data=data or None, headers=headers)
            try:
                with self._opener.open(request, timeout=self._timeout_s) as response:
                    text = response.read()
            except (OSError, http.client.HTTPException) as error:
                if is_last:
                    raise ConnectionLost(f'{method} {path}: {error}') from error
                time.sleep(_backoff(attempt))
                continue
            parsed = _json(text)
            if 200 <= response.status < 300 and parsed is not None:
                return parsed
            retry_after = _seconds(response.headers.get('Retry-After'))
            # 409 with Retry-After: the first request with this key is still running.
            is_worth_it = response.status in RETRIED or (response.status == 409 and retry_after is not None)
            if is_last or not is_worth_it or (retry_after or 0) > LONGEST_RETRY_AFTER_S:
                raise ApiError(response.status, parsed, retry_after, response.headers.get('Location'))
            time.sleep(max(_backoff(attempt), retry_after or 0))
        raise AssertionError('unreachable')


def path_part(name: str) -> str:
    # A proxy may read these as another path.
    if not isinstance(name, str) or name in ('', '.', '..'):
        raise ValueError(f'{name!r} is no id or name')
    return urllib.parse.quote(name, safe='')


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _name(name: str) -> str:
    return 'from' if name == 'from_' else name


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _backoff(attempt: int) -> float:
    return 0.5 * 2**attempt * random.uniform(0.75, 1.25)


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After is seconds or a date (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    try:
        seconds = float(int(retry_after))
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds)
