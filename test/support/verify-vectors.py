"""Checks signing vectors with the Python standard library alone (3.9.2 or later).

Usage: python3 verify-vectors.py FILE    ("-" reads standard input)
"""

import base64
import hashlib
import hmac
import json
import sys
from urllib.parse import parse_qsl, quote, unquote_to_bytes

FIELDS = {
    'name', 'secret', 'method', 'path', 'raw_query', 'body_base64', 'timestamp', 'nonce',
    'canonical_query', 'canonical_string', 'signature',
}


def decode(text):
    return unquote_to_bytes(text.replace('+', ' ')).decode('utf-8', 'replace')


def split_pairs(raw_query):
    pieces = (piece.partition('=') for piece in raw_query.split('&') if piece)
    return [(decode(key), decode(value)) for key, _, value in pieces]


def canonical_query(pairs):
    return '&'.join(quote(k, safe='') + '=' + quote(v, safe='') for k, v in sorted(pairs))


def problems(vector):
    if set(vector) != FIELDS:
        yield 'fields'
        return
    raw_query = vector['raw_query']
    query = canonical_query(split_pairs(raw_query))
    if query != vector['canonical_query']:
        yield 'canonical_query by the rule: ' + query
    # What a Python client would most likely call; it has to agree with the rule as written.
    parsed = canonical_query(parse_qsl(raw_query, keep_blank_values=True, separator='&'))
    if parsed != vector['canonical_query']:
        yield 'canonical_query by parse_qsl: ' + parsed

    body = base64.b64decode(vector['body_base64'], validate=True)
    if body and vector['method'] in ('GET', 'HEAD'):
        yield 'a body on ' + vector['method']
    lines = [
        vector['method'], vector['path'], query, vector['timestamp'], vector['nonce'],
        hashlib.sha256(body).hexdigest(),
    ]
    canonical = '\n'.join(lines)
    if canonical != vector['canonical_string'] or canonical.count('\n') != 5:
        yield 'canonical_string: ' + repr(canonical)
    key = vector['secret'].encode('utf-8')
    digest = hmac.new(key, canonical.encode('utf-8'), hashlib.sha256).hexdigest()
    if 'v1=' + digest != vector['signature']:
        yield 'signature: v1=' + digest


def main(path):
    with (sys.stdin if path == '-' else open(path, encoding='utf-8')) as file:
        document = json.load(file)
    vectors = document['vectors']
    faults = [
        '%s: %s' % (vector.get('name'), problem)
        for vector in vectors
        for problem in problems(vector)
    ]
    if document['scheme'] != 'v1':
        faults.append('scheme: ' + repr(document['scheme']))
    if not vectors:
        faults.append('no vectors')
    for fault in faults:
        print(ascii(fault), file=sys.stderr)
    print('%d vectors, %d faults' % (len(vectors), len(faults)))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
