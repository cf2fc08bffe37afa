"""Quotes a domain, records its sale, and checks a webhook, with the standard library of Python 3.9 or later.

python3 sell.py DOMAIN, next to market.py. Set the variables that market.py describes.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time

from market import call

API = '/api/partner/v1'


def is_authentic(secret, event_id, timestamp, signatures, body):
    """Checks a webhook by its header fields webhook-id, webhook-timestamp and webhook-signature, over its raw body."""
    # An old delivery may have been recorded by somebody who sends it again.
    if not re.fullmatch('[0-9]{1,12}', timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret[6:]) if secret.startswith('whsec_') else secret.encode()
    signed = f'{event_id}.{timestamp}.'.encode() + body
    expected = b'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # As bytes: compare_digest accepts only ASCII in text, and a stranger's header may contain anything.
    return any(hmac.compare_digest(expected, given.encode(errors='replace')) for given in signatures.split(' '))


def main(domain):
    quote = call('POST', f'{API}/quotes', body={'domain': domain})
    order = call(
        'POST',
        f'{API}/orders',
        body={
            'domain': domain,
            'quote_id': quote['quote_id'],
            'sale_price_cents': quote['price_cents'],
            'external_payment_ref': f"py-{quote['quote_id']}",
            'buyer': {'email': 'buyer@example.com'},
        },
    )
    (found,) = call('GET', f'{API}/orders', query={'domain': domain, 'limit': '1'})['orders']
    assert found['public_id'] == order['public_id']
    print(json.dumps({name: order[name] for name in ('public_id', 'domain', 'status')}))
    if os.environ.get('WEBHOOK_BODY'):
        known = [os.environ[f'WEBHOOK_{name}'] for name in ('SECRET', 'ID', 'TIMESTAMP', 'SIGNATURE')]
        body = os.environ['WEBHOOK_BODY'].encode()
        print('webhook:', 'right' if is_authentic(*known, body) else 'wrong')
        print('webhook:', 'wrong' if is_authentic(*known, body + b' ') else 'altered')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit("say which domain to sell")
    main(sys.argv[1])
