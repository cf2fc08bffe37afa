"""Quotes a domain, records its sale, and checks a webhook, with the standard library of Python 3.9 or later.

python3 sell.py DOMAIN, with SERVICE_KEY_ID and SERVICE_SECRET set, and SERVICE_URL unless it is
http://localhost:3000.
"""

import email.utils
import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import urllib.parse
import urllib.request
import uuid

BASE = '/api/partner/v1'
URL = os.environ.get('SERVICE_URL', 'http://localhost:3000')
KEY_ID = os.environ['SERVICE_KEY_ID']
SECRET = os.environ['SERVICE_SECRET'].encode()


class Refused(Exception):
    """The service's error: code, message, request id. The code is unknown when something else answered."""

    def __init__(self, status, said):
        error = said.get('error') if isinstance(said, dict) else None
        error = error if isinstance(error, dict) else {}
        self.status = status
        self.code = error.get('code', 'unknown')
        message = error.get('message', "The answer was not the service's.")
        super().__init__(f"{status} {self.code}: {message} ({error.get('request_id')})")


class AsItIs(urllib.request.HTTPErrorProcessor):
    """Takes every status for an answer, and follows no redirect, which would be signed for another path."""

    def http_response(self, request, response):
        return response

    https_response = http_response


OPENER = urllib.request.build_opener(AsItIs)


def call(method, path, query=(), body=None, key=None, tries=4):
    """Signs and sends a request, again if it may succeed later: with a new nonce and the same key.

    The query is a dictionary, or pairs of key and value where a key comes more than once.
    """
    data = b'' if body is None else json.dumps(body).encode()
    pairs = sorted(query.items() if isinstance(query, dict) else query)
    encoded = '&'.join('='.join(urllib.parse.quote(part, safe='') for part in pair) for pair in pairs)
    if method == 'POST' and key is None:
        key = str(uuid.uuid4())
    for attempt in range(1, tries + 1):
        timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
        canonical = '\n'.join(
            [method, BASE + path, encoded, timestamp, nonce, hashlib.sha256(data).hexdigest()]
        )
        signature = hmac.new(SECRET, canonical.encode(), hashlib.sha256).hexdigest()
        request = urllib.request.Request(
            URL + BASE + path + ('?' + encoded if encoded else ''),
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
            with OPENER.open(request, timeout=30) as answer:
                text = answer.read()
        except (OSError, http.client.HTTPException):
            # The answer is lost or cut off. Whether it happened is not known: the key makes the repeat safe.
            if attempt == tries:
                raise
            time.sleep(2**attempt / 4)
            continue
        try:
            said = json.loads(text)
        except ValueError:
            said = None
        if 200 <= answer.status < 300 and said is not None:
            return said
        retry_after = answer.headers.get('Retry-After')
        # 409 with Retry-After: the first request with this key is still running.
        again = answer.status in (429, 500, 502, 503, 504) or (answer.status == 409 and retry_after)
        if attempt == tries or not again:
            raise Refused(answer.status, said)
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


def is_ours(secret, signature, body):
    """Checks X-Service-Signature of a webhook over its raw body, in constant time."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    # As bytes: of text it compares ASCII alone, and a stranger's header may hold anything.
    return hmac.compare_digest(expected.encode(), signature.encode(errors='replace'))


def main(domain):
    quote = call('POST', '/quotes', body={'domain': domain})
    order = call(
        'POST',
        '/orders',
        body={
            'domain': domain,
            'quote_id': quote['quote_id'],
            'sale_price_cents': quote['price_cents'],
            'external_payment_ref': f"py-{quote['quote_id']}",
            'buyer': {'email': 'buyer@example.com'},
        },
    )
    (found,) = call('GET', '/orders', query={'domain': domain, 'limit': '1'})['orders']
    assert found['public_id'] == order['public_id']
    print(json.dumps({name: order[name] for name in ('public_id', 'domain', 'status')}))
    if os.environ.get('WEBHOOK_BODY'):
        secret, signature = os.environ['WEBHOOK_SECRET'], os.environ['WEBHOOK_SIGNATURE']
        body = os.environ['WEBHOOK_BODY'].encode()
        print('webhook:', 'right' if is_ours(secret, signature, body) else 'wrong')
        print('webhook:', 'wrong' if is_ours(secret, signature, body + b' ') else 'altered')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit("say which domain to sell")
    main(sys.argv[1])
