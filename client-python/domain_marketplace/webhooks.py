"""Verifies deliveries by their Standard Webhooks header fields."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import MarketplaceError, WebhookVerificationError
from .models import WebhookEvent

TOLERANCE_S = 300


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    tolerance_s: float = TOLERANCE_S,
    now: float | None = None,
) -> WebhookEvent:
    """Checks that a delivery is the service's and is new, and returns its event.

    Store the event before you respond with 2xx, and keep the ids that you have seen: it may come more than once.

    :param body: the raw bytes as they came: parse nothing before it is verified
    :param secret: the one that you registered; several while you change it
    :raises WebhookVerificationError: it is not the service's, or too old: respond 400
    """
    if not isinstance(body, (bytes, bytearray)):
        raise MarketplaceError('body must be the raw bytes as they came: what was decoded proves nothing.')
    lower = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp, signatures = (lower.get(f'webhook-{name}') for name in ('id', 'timestamp', 'signature'))
    if not event_id or not timestamp or not signatures:
        raise WebhookVerificationError('The headers webhook-id, webhook-timestamp and webhook-signature are needed.')
    clock = time.time() if now is None else now
    if not re.fullmatch('[0-9]{1,12}', timestamp) or not abs(clock - int(timestamp)) <= tolerance_s:
        raise WebhookVerificationError(
            f'webhook-timestamp is not within {tolerance_s} s of our clock: an old delivery, or a wrong clock.'
        )
    given = [part.encode(errors='replace') for part in signatures.split(' ')]
    secrets = [secret] if isinstance(secret, str) else list(secret)
    for one in secrets or ['']:
        expected = _signature(one, event_id, timestamp, bytes(body))
        if any(hmac.compare_digest(expected, signature) for signature in given):
            try:
                return json.loads(body)
            except ValueError as error:
                raise WebhookVerificationError('The signature is right, but the body is not JSON.') from error
    raise WebhookVerificationError('No signature fits: another secret, or a body that was changed on its way.')


def sign_webhook(secret: str, event: Mapping[str, Any], body: bytes, now: float | None = None) -> dict[str, str]:
    """The header fields that a delivery comes with, for tests of your own receiver."""
    timestamp = str(int(time.time() if now is None else now))
    return {
        'content-type': 'application/json',
        'x-service-signature': hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
        'webhook-id': event['id'],
        'webhook-timestamp': timestamp,
        'webhook-signature': _signature(secret, event['id'], timestamp, body).decode(),
    }


def _signature(secret: str, event_id: str, timestamp: str, body: bytes) -> bytes:
    signed = f'{event_id}.{timestamp}.'.encode() + body
    return b'v1,' + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())


def _key(secret: str) -> bytes:
    """Behind `whsec_` the key is base64; any other secret is its own UTF-8 bytes."""
    if not secret:
        raise MarketplaceError('secret must be given: the one that you registered.')
    if not secret.startswith('whsec_'):
        return secret.encode()
    try:
        return base64.b64decode(secret[6:].replace('-', '+').replace('_', '/'), validate=True)
    except binascii.Error as error:
        raise MarketplaceError('What follows whsec_ in the secret must be base64.') from error
