"""Quotes a domain, records its sale, and checks a webhook, with the standard library of Python 3.9 or later.

python3 sell.py DOMAIN, next to market.py. Set the variables that market.py describes.
"""

import hashlib
import hmac
import json
import os
import sys

from market import call

API = '/api/partner/v1'


def is_authentic(secret, signature, body):
    """Checks X-Service-Signature of a webhook over its raw body, in constant time."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    # As bytes: compare_digest accepts only ASCII in text, and a stranger's header may contain anything.
    return hmac.compare_digest(expected.encode(), signature.encode(errors='replace'))


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
        secret, signature = os.environ['WEBHOOK_SECRET'], os.environ['WEBHOOK_SIGNATURE']
        body = os.environ['WEBHOOK_BODY'].encode()
        print('webhook:', 'right' if is_authentic(secret, signature, body) else 'wrong')
        print('webhook:', 'wrong' if is_authentic(secret, signature, body + b' ') else 'altered')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit("say which domain to sell")
    main(sys.argv[1])
