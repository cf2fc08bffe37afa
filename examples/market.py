"""Signs and sends partner requests, with the standard library of Python 3.9 or later.

    from market import call

Set SERVICE_KEY_ID and SERVICE_SECRET, and SERVICE_URL unless it is http://localhost:3000.
"""

import email.utils
import hashlib
import hmac
import http.client
import json
import os
import time
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get('SERVICE_URL', 'http://localhost:3000')
KEY_ID = os.environ['SERVICE_KEY_ID']
SECRET = os.environ['SERVICE_SECRET'].encode()


class ApiError(Exception):
    """An error response: status, code, message, request id. The code is unknown if something else responded."""

    def __init__(self, status, body):
        error = body.get('error') if isinstance(body, dict) else None
        error = error if isinstance(error, dict) else {}
        self.status = status
        self.code = error.get('code', 'unknown')
        message = error.get('message', "The response was not the service's.")
        super().__init__(f"{status} {self.code}: {message} ({error.get('request_id')})")


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Returns responses of every status, and follows no redirect, which would be signed for another path."""

    def http_response(self, request, response):
        return response

    https_response = http_response


OPENER = urllib.request.build_opener(AnyStatus)


def call(method, path, query=(), body=None, key=None, tries=4):
    """Signs and sends a request, again if it may succeed later: with a new nonce and the same key.

    The query is a dictionary, or pairs of key and value where a key comes more than once. The key is the
    Idempotency-Key of a POST; give one of your own to repeat a request after a crash.
    """
    data = b'' if body is None else json.dumps(body).encode()
    pairs = sorted(query.items() if isinstance(query, dict) else query)
    encoded = '&'.join('='.join(urllib.parse.quote(str(part), safe='') for part in pair) for pair in pairs)
    if method == 'POST' and key is None:
        key = str(uuid.uuid4())
    for attempt in range(1, tries + 1):
        timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
        canonical = '\n'.join([method, path, encoded, timestamp, nonce, hashlib.sha256(data).hexdigest()])
        signature = hmac.new(SECRET, canonical.encode(), hashlib.sha256).hexdigest()
        request = urllib.request.Request(
            URL + path + ('?' + encoded if encoded else ''),
            method=method,
            data=data or None,
            headers={
                'X-Service-Key-Id': KEY_ID,
                'X-Service-Timestamp': timestamp,
                'X-Service-Nonce': nonce,
                'X-Service-Signature': 'v1=' + signature,
                **({'Idempotency-Key': key} if key else {}),
                **({'Content-Type': 'application/json'} if data else {}),
            },
        )
        try:
            with OPENER.open(request, timeout=30) as response:
                text = response.read()
        except (OSError, http.client.HTTPException):
            # The response was lost, so the outcome is unknown: the key makes the repeat safe.
            if attempt == tries:
                raise
            time.sleep(2**attempt / 4)
            continue
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = None
        if 200 <= response.status < 300 and parsed is not None:
            return parsed
        retry_after = response.headers.get('Retry-After')
        # 409 with Retry-After: the first request with this key is still running.
        again = response.status in (429, 500, 502, 503, 504) or (response.status == 409 and retry_after)
        if attempt == tries or not again:
            raise ApiError(response.status, parsed)
        time.sleep(pause_of(retry_after, 2**attempt))


def pause_of(retry_after, otherwise):
    """Retry-After is seconds or a date (RFC 9110, 10.2.3): how long to wait, a minute at the most."""
    try:
        seconds = int(retry_after)
    except (TypeError, ValueError):
        try:
            seconds = email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (AttributeError, TypeError, ValueError):
            seconds = otherwise
    return max(0, min(seconds, 60))
