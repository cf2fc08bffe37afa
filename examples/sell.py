"""Quotes a domain, records its sale, and checks a webhook, with the standard library of Python 3.9 or later.

SERVICE_URL, SERVICE_KEY_ID and SERVICE_SECRET must be set. python3 sell.py DOMAIN
"""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BASE = '/api/partner/v1'
URL = os.environ.get('SERVICE_URL', 'http://localhost:3000')
KEY_ID = os.environ['SERVICE_KEY_ID']
SECRET = os.environ['SERVICE_SECRET'].encode()


class Refused(Exception):
    """The service's error: code, message, request id."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error['code']}: {error['message']} ({error['request_id']})")
        self.status = status
        self.code = error['code']


def call(method, path, query=(), body=None, key=None, tries=4):
    """Signs and sends a request, again if it may succeed later: with a new nonce and the same key."""
    data = b'' if body is None else json.dumps(body).encode()
    pairs = sorted(dict(query).items())
    encoded = '&'.join(f"{urllib.parse.quote(k, safe='')}={urllib.parse.quote(v, safe='')}" for k, v in pairs)
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
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as answer:
            if attempt == tries or answer.code not in (429, 500, 502, 503, 504):
                raise Refused(answer.code, json.load(answer)['error']) from None
            pause = int(answer.headers.get('Retry-After', 2**attempt))
        except OSError:
            # The answer is lost. Whether it happened is not known: the key makes the repeat safe.
            if attempt == tries:
                raise
            pause = 2**attempt / 4
        time.sleep(pause)


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
    main(sys.argv[1])
