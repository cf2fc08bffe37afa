"""Signs and judges partner requests with Python's standard library alone, one JSON object a line.

It knows the specification and none of the service's code: {"op": "sign", ...} answers {"signature"},
{"op": "judge", ...} answers {"authentic"} and {"canonical"}, the canonical string's hash.
"""

import base64
import hashlib
import hmac
import importlib.util
import json
import pathlib
import re
import sys

VECTORS = pathlib.Path(__file__).parents[2] / 'test' / 'support' / 'verify-vectors.py'
spec = importlib.util.spec_from_file_location('vectors', VECTORS)
vectors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(vectors)

NONCE = re.compile(r'[\x21-\x7e]{8,128}')
TIMESTAMP = re.compile(r'[0-9]{10}')


def canonical_string(request):
    path, _, raw_query = request['target'].partition('?')
    body = b'' if request['method'] in ('GET', 'HEAD') else base64.b64decode(request['body'])
    query = vectors.canonical_query(vectors.split_pairs(raw_query))
    lines = [
        request['method'], path, query, request['timestamp'], request['nonce'],
        hashlib.sha256(body).hexdigest(),
    ]
    return '\n'.join(lines)


def signature_of(request, secret):
    key, message = secret.encode('utf-8'), canonical_string(request).encode('utf-8')
    return 'v1=' + hmac.new(key, message, hashlib.sha256).hexdigest()


def judge(request, secrets, now):
    secret = secrets.get(request['key_id'])
    return (
        secret is not None
        and NONCE.fullmatch(request['nonce']) is not None
        and TIMESTAMP.fullmatch(request['timestamp']) is not None
        and abs(int(request['timestamp']) - now) <= 300
        and hmac.compare_digest(signature_of(request, secret).encode(), request['signature'].encode())
    )


for line in sys.stdin:
    asked = json.loads(line)
    request, secrets = asked['request'], asked['secrets']
    if asked['op'] == 'sign':
        answer = {'signature': signature_of(request, secrets[request['key_id']])}
    else:
        canonical = hashlib.sha256(canonical_string(request).encode('utf-8')).hexdigest()
        answer = {'authentic': judge(request, secrets, asked['now']), 'canonical': canonical}
    print(json.dumps(answer), flush=True)
