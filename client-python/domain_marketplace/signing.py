"""Signatures of partner requests, as docs/guides/signing.md describes them."""

from __future__ import annotations

import hashlib
import hmac
import time
import urllib.parse
import uuid


def canonical_query(raw_query: str) -> str:
    """The pairs of a query as they are signed: percent-encoded, sorted by key and then by value."""
    pairs = urllib.parse.parse_qsl(raw_query, keep_blank_values=True, errors='replace')
    encoded = [[urllib.parse.quote(part, safe='-._~').encode() for part in pair] for pair in _by_bytes(pairs)]
    return '&'.join(b'='.join(pair).decode() for pair in encoded)


def _by_bytes(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(pairs, key=lambda pair: [part.encode(errors='surrogatepass') for part in pair])


def canonical_string(method: str, path: str, raw_query: str, timestamp: str, nonce: str, body: bytes) -> str:
    digest = hashlib.sha256(body).hexdigest()
    return '\n'.join([method.upper(), path, canonical_query(raw_query), timestamp, nonce, digest])


def signature_headers(
    key_id: str,
    secret: str,
    method: str,
    path: str,
    raw_query: str = '',
    body: bytes = b'',
    timestamp: str | None = None,
    nonce: str | None = None,
) -> dict[str, str]:
    """The four header fields of a request. Each attempt needs new ones: a nonce works once."""
    timestamp = timestamp or str(int(time.time()))
    nonce = nonce or str(uuid.uuid4())
    canonical = canonical_string(method, path, raw_query, timestamp, nonce, body)
    return {
        'X-Service-Key-Id': key_id,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': 'v1=' + hmac.new(secret.encode(), canonical.encode(), hashlib.sha256).hexdigest(),
    }
