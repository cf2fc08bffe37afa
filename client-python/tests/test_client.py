import base64
import email.utils
import http.server
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import time
import unittest
import uuid
from contextlib import redirect_stdout
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from domain_marketplace import (  # noqa: E402
    ApiError,
    ConnectionLost,
    MarketplaceError,
    PartnerClient,
    PublicClient,
    WebhookVerificationError,
    canonical_string,
    sign_webhook,
    signature_headers,
    verify_webhook,
)

VECTORS = ROOT.parent / 'docs' / 'signing-vectors.json'


class Signing(unittest.TestCase):
    def test_agrees_with_every_published_vector(self):
        document = json.loads(VECTORS.read_text())
        self.assertGreater(len(document['vectors']), 300)
        for vector in document['vectors']:
            body = base64.b64decode(vector['body_base64'])
            of_attempt = vector['timestamp'], vector['nonce']
            request = vector['method'], vector['path'], vector['raw_query']
            self.assertEqual(canonical_string(*request, *of_attempt, body), vector['canonical_string'], vector['name'])
            headers = signature_headers('key', vector['secret'], *request, body, *of_attempt)
            self.assertEqual(headers['X-Service-Signature'], vector['signature'], vector['name'])


class Webhooks(unittest.TestCase):
    BODY = '{"id":"evt_1","type":"order.paid","data":{"name":"ü"}}'.encode()
    EVENT = json.loads(BODY)
    SECRETS = ('a-secret-of-16-or-more', 'whsec_' + base64.b64encode(bytes(range(24))).decode())

    def test_returns_the_event_of_a_right_signature(self):
        for secret in self.SECRETS:
            headers = sign_webhook(secret, self.EVENT, self.BODY)
            self.assertEqual(verify_webhook(self.BODY, headers, ['another-secret-of-ours', secret]), self.EVENT)
            several = {**headers, 'Webhook-Signature': 'v1,b3RoZXI= ' + headers.pop('webhook-signature')}
            several.pop('webhook-signature')
            self.assertEqual(verify_webhook(self.BODY, several, secret), self.EVENT)

    def test_rejects_what_is_altered_old_early_foreign_or_incomplete(self):
        secret = self.SECRETS[0]
        headers = sign_webhook(secret, self.EVENT, self.BODY)
        for body, given, known in (
            (self.BODY + b' ', headers, secret),
            (self.BODY, headers, 'another-secret-of-ours'),
            (self.BODY, {**headers, 'webhook-id': 'evt_2'}, secret),
            (self.BODY, {**headers, 'webhook-signature': 'v1,ü'}, secret),
            (self.BODY, {**headers, 'webhook-timestamp': 'now'}, secret),
            (self.BODY, sign_webhook(secret, self.EVENT, self.BODY, time.time() - 310), secret),
            (self.BODY, sign_webhook(secret, self.EVENT, self.BODY, time.time() + 310), secret),
            (self.BODY, {}, secret),
        ):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(body, given, known)
        for body, known in ((self.BODY.decode(), secret), (self.BODY, []), (self.BODY, 'whsec_no base64!')):
            with self.assertRaises(MarketplaceError) as caught:
                verify_webhook(body, headers, known)
            self.assertNotIsInstance(caught.exception, WebhookVerificationError)


class Scripted(http.server.BaseHTTPRequestHandler):
    """Responds as it is told, one request after another."""

    script = []
    keys = []
    nonces = []

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length'] or 0))
        self.keys.append(self.headers['Idempotency-Key'])
        self.nonces.append(self.headers['X-Service-Nonce'])
        status, retry_after, body = self.script.pop(0)
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        if retry_after is not None:
            self.send_header('Retry-After', retry_after)
        if status == 302:
            self.send_header('Location', 'https://elsewhere.example/')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Retries(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Scripted)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        Scripted.keys, Scripted.nonces = [], []
        address = f'http://127.0.0.1:{self.server.server_port}'
        self.market = PartnerClient(address, 'pk_sandbox_1', 'sk')

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def test_get_past_lost_and_passing_responses_with_one_key(self):
        Scripted.script = [
            (0, None, b''),
            (503, 'Sun, 06 Nov 1994 08:49:37 GMT', b'<html>'),
            (409, '0', b'{"error":{"code":"request_in_progress"}}'),
            (201, None, b'{"quote_id":"qt_1"}'),
        ]
        self.assertEqual(self.market.create_quote('a.test')['quote_id'], 'qt_1')
        self.assertEqual(len(Scripted.keys), 4)
        self.assertEqual(len(set(Scripted.keys)), 1)
        self.assertEqual(len(set(Scripted.nonces)), 4)

    def test_repeat_nothing_that_fails_again(self):
        Scripted.script = [(409, None, b'{"error":{"code":"conflict","request_id":"req_1"}}')]
        with self.assertRaises(ApiError) as caught:
            self.market.refund('ord_1', idempotency_key='mine')
        error = caught.exception
        self.assertEqual((error.status, error.code, error.request_id), (409, 'conflict', 'req_1'))
        self.assertEqual(Scripted.keys, ['mine'])

    def test_leave_a_long_wait_to_the_caller(self):
        later = email.utils.formatdate(time.time() + 600, usegmt=True)
        for status, retry_after in ((429, '600'), (503, later), (409, '61')):
            Scripted.script, Scripted.keys = [(status, retry_after, b'{}')], []
            with self.assertRaises(ApiError) as caught:
                self.market.create_quote('a.test')
            self.assertEqual(caught.exception.status, status)
            self.assertGreater(caught.exception.retry_after, 60)
            self.assertEqual(len(Scripted.keys), 1)

    def test_tell_of_a_response_that_is_not_the_services(self):
        Scripted.script = [(502, '0', b'<html>')] * 4
        with self.assertRaises(ApiError) as caught:
            self.market.create_quote('a.test')
        self.assertEqual((caught.exception.status, caught.exception.code), (502, 'unknown'))
        self.assertEqual(caught.exception.retry_after, 0)

    def test_tell_of_no_response(self):
        Scripted.script = [(0, None, b'')]
        with self.assertRaises(ConnectionLost):
            PartnerClient(f'http://127.0.0.1:{self.server.server_port}', 'k', 's', max_retries=0).create_quote('a.test')

    def test_reject_an_address_that_could_not_be_signed_for(self):
        for address in (
            'localhost:3000',
            'http://host/market',
            'ftp://host',
            'http://user:password@host',
            'http://host?x',
            'http://host#x',
            'http://:80',
        ):
            with self.assertRaises(ValueError) as caught:
                PartnerClient(address, 'k', 's')
            self.assertNotIn('password', str(caught.exception))

    def test_reject_a_credential_that_cannot_be_one(self):
        for key_id, secret in (('sk_sandbox_1', 'sk'), ('pk_sandbox_1', 'sk\n'), ('', 'sk')):
            with self.assertRaises(ValueError):
                PartnerClient('http://host', key_id, secret)

    def test_reject_what_cannot_be_sent_before_it_is(self):
        for send in (
            lambda: self.market.order(''),
            lambda: self.market.release_quote('..'),
            lambda: self.market.order(None),
            lambda: self.market.call('GET', '/api/partner/v1/orders?limit=1'),
            lambda: self.market.call('GET', '@host/x'),
            lambda: self.market.call('GET', 'http://host/x'),
            lambda: self.market.call('POST', '/api', body={'a': float('nan')}),
            lambda: self.market.create_quote('a.test', idempotency_key='✓'),
            lambda: self.market.create_quote('a.test', idempotency_key='a\nb'),
        ):
            with self.assertRaises(ValueError):
                send()
        self.assertEqual(Scripted.keys, [])

    def test_send_the_key_that_is_given_even_if_it_is_empty(self):
        Scripted.script = [(400, None, b'{}')]
        with self.assertRaises(ApiError):
            self.market.create_quote('a.test', idempotency_key='')
        self.assertEqual(Scripted.keys, [''])

    def test_pause_even_if_the_service_asks_for_no_pause(self):
        Scripted.script = [(503, '0', b''), (503, '-5', b''), (503, '3', b''), (201, None, b'{}')]
        with mock.patch('time.sleep') as sleep:
            self.market.create_quote('a.test')
        first, second, third = [call.args[0] for call in sleep.call_args_list]
        self.assertGreater(first, 0.3)
        self.assertGreater(second, 0.6)
        self.assertEqual(third, 3)

    def test_tell_where_a_redirect_leads_and_the_likely_cause(self):
        Scripted.script = [(302, None, b''), (401, None, b'{"error":{"message":"No.","details":{"likely_cause":"So."}}}')]
        with self.assertRaisesRegex(ApiError, 'redirect to https://elsewhere.example/'):
            self.market.create_quote('a.test')
        with self.assertRaisesRegex(ApiError, r'No\. So\.'):
            self.market.create_quote('a.test')


@unittest.skipUnless(os.environ.get('SERVICE_SECRET'), 'no service')
class Service(unittest.TestCase):
    def setUp(self):
        environ = os.environ
        self.market = PartnerClient(environ['SERVICE_URL'], environ['SERVICE_KEY_ID'], environ['SERVICE_SECRET'])
        self.public = PublicClient(environ['SERVICE_URL'])

    def free(self):
        return next(each['domain'] for each in self.market.search('garden')['results'] if each['available'])

    def test_sells_and_refunds(self):
        quote = self.market.create_quote(self.free())
        self.assertEqual(self.market.quote(quote['quote_id'])['status'], 'active')
        sale = dict(
            domain=quote['domain'],
            sale_price_cents=quote['price_cents'],
            quote_id=quote['quote_id'],
            external_payment_ref=f"python-{quote['quote_id']}",
            buyer={'email': 'buyer@example.com', 'name': 'Ä. Buyer'},
            idempotency_key=f"sale-{quote['quote_id']}",
        )
        order = self.market.create_order(**sale)
        self.assertEqual(self.market.create_order(**sale), order)
        self.assertEqual(order['status'], 'EXTERNALLY_PAID')
        self.assertIn(order['public_id'], [each['public_id'] for each in self.market.each_order(limit=1)])
        self.assertEqual(self.market.orders(domain=order['domain'], limit=1)['orders'][0], order)
        self.assertEqual(self.market.orders(from_='2100-01-01')['orders'], [])
        self.assertEqual(list(self.market.each_order(from_='2100-01-01')), [])
        self.assertEqual(self.market.refund(order['public_id'])['status'], 'succeeded')
        types = [event['type'] for event in self.market.each_event(limit=1)]
        self.assertEqual(types[-2:], ['order.recorded', 'order.refunded'])
        with self.assertRaises(ApiError) as caught:
            self.market.order('ord_none')
        self.assertEqual(caught.exception.code, 'not_found')

    def test_opens_checkout_sessions_cases_and_links(self):
        session = self.market.create_checkout_session(self.free())
        self.assertEqual(self.market.checkout_session(session['id'])['status'], 'open')
        # A case holds its domain, also for other partners and for the next run.
        domain = f'python-client-{uuid.uuid4()}.com'
        case = self.market.open_case(domain, 'managed', 'buyer@example.com', 100_000)
        self.assertEqual(self.market.case(case['case_id'])['domain'], domain)

    def test_reads_the_public_api(self):
        self.assertEqual(self.public.search('example.com')['results'][0]['domain'], 'example.com')
        self.assertEqual(self.public.whois('example.com')['registered'], True)
        self.assertEqual(self.public.tld_price('com', 'renew')['op'], 'renew')
        self.assertEqual(self.public.tld_requirements('com')['tld'], 'com')
        operation = {'id': '1', 'op': 'tld_registration_price', 'params': {'tld': 'com'}}
        self.assertEqual(self.public.batch([operation])['failed'], 0)
        self.assertLessEqual(len(self.public.listings(limit=1)['items']), 1)
        total = self.public.listings(limit=1)['page']['total']
        self.assertEqual(len(list(self.public.each_listing(limit=100))), total)
        self.assertEqual(len(list(self.public.each_listing(limit=2, offset=total - 3))), 3)

    def test_the_readme_sells_and_stores_a_webhook_once(self):
        # The README stores the events in the current folder.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        readme = (ROOT / 'README.md').read_text()
        selling, receiving = re.findall(r'```python\n(.*?)```', readme, re.S)
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(selling, 'README.md', 'exec'), {})
        self.assertIn('EXTERNALLY_PAID\n', printed.getvalue())
        scope = {}
        exec(compile(receiving, 'README.md', 'exec'), scope)
        headers = sign_webhook('a-secret-of-16-or-more', {'id': 'evt_1'}, b'{"id":"evt_1"}')
        self.assertTrue(scope['receive'](headers, b'{"id":"evt_1"}', 'a-secret-of-16-or-more'))
        self.assertFalse(scope['receive'](headers, b'{"id":"evt_1"}', 'a-secret-of-16-or-more'))
        scope['events'].close()


if __name__ == '__main__':
    unittest.main()
