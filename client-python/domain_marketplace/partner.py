"""The partner API, signed."""

from __future__ import annotations

import re
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, TypedDict

from . import models
from .signing import signature_headers
from .transport import Transport, path_part

API = '/api/partner/v1'
WEBHOOKS = '/api/partner/webhooks'


class SearchResponse(TypedDict):
    query: str
    results: list[models.SearchResult]


class OrdersPage(TypedDict):
    orders: list[models.Order]
    next_cursor: str | None


class EventsPage(TypedDict):
    events: list[models.Event]
    next_cursor: str | None


class SettlementsPage(TypedDict):
    settlements: list[models.SettlementSummary]
    next_cursor: str | None


class PartnerClient:
    """Signs every attempt with a new nonce, and repeats what may succeed later with the same idempotency key.

    To survive a crash between two attempts, store an `idempotency_key` of your own with your order and pass it again.

    `filters` are the query parameters of the operation, and `from`, a keyword of Python, is `from_`. `timeout_s` is for
    each wait for the service, such as for the next bytes of a response, and not for the whole call.
    """

    def __init__(
        self, base_url: str, key_id: str, secret: str, timeout_s: float = 30, max_retries: int = 3
    ) -> None:
        if not key_id or not secret:
            raise ValueError('key_id and secret must be given')
        # It would be sent with every request.
        if key_id.startswith('sk_'):
            raise ValueError('key_id is a secret: it begins with pk_')
        if re.search(r'\s', secret):
            raise ValueError('secret must have no blank and no newline')

        def headers(method: str, path: str, raw_query: str, body: bytes) -> Mapping[str, str]:
            return signature_headers(key_id, secret, method, path, raw_query, body)

        self._transport = Transport(base_url, headers, timeout_s, max_retries)

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Any operation of the API, also those without a method here.

        :param path: all of it, from `/api/partner/` on, without the query
        """
        if method == 'POST' and idempotency_key is None:
            idempotency_key = str(uuid.uuid4())
        return self._transport.send(method, path, query, body, idempotency_key if method == 'POST' else None)

    def search(self, q: str, **filters: Any) -> SearchResponse:
        return self.call('GET', f'{API}/domains/search', {'q': q, **filters})

    def domain(self, name: str) -> models.DomainDetail:
        return self.call('GET', f'{API}/domains/{path_part(name)}')

    def availability(self, domain: str) -> models.Availability:
        return self.call('GET', f'{API}/availability', {'domain': domain})

    def pricing(self, domain: str) -> models.Price:
        return self.call('GET', f'{API}/pricing', {'domain': domain})

    def create_quote(
        self, domain: str, expected_price: int | None = None, idempotency_key: str | None = None
    ) -> models.Quote:
        body = _given(domain=domain, expected_price=expected_price)
        return self.call('POST', f'{API}/quotes', body=body, idempotency_key=idempotency_key)

    def quote(self, quote_id: str) -> models.Quote:
        return self.call('GET', f'{API}/quotes/{path_part(quote_id)}')

    def release_quote(self, quote_id: str) -> models.Quote:
        return self.call('DELETE', f'{API}/quotes/{path_part(quote_id)}')

    def create_order(
        self,
        domain: str,
        sale_price_cents: int,
        quote_id: str,
        external_payment_ref: str,
        buyer: Mapping[str, Any],
        idempotency_key: str | None = None,
        **more: Any,
    ) -> models.Order:
        body = _given(
            domain=domain,
            sale_price_cents=sale_price_cents,
            quote_id=quote_id,
            external_payment_ref=external_payment_ref,
            buyer=buyer,
            **more,
        )
        return self.call('POST', f'{API}/orders', body=body, idempotency_key=idempotency_key)

    def order(self, public_id: str) -> models.Order:
        return self.call('GET', f'{API}/orders/{path_part(public_id)}')

    def orders(self, **filters: Any) -> OrdersPage:
        return self.call('GET', f'{API}/orders', filters)

    def each_order(self, **filters: Any) -> Iterator[models.Order]:
        return self._each(f'{API}/orders', 'orders', 'cursor', filters)

    def transfer_code(self, public_id: str) -> dict[str, Any]:
        return self.call('GET', f'{API}/orders/{path_part(public_id)}/transfer-code')

    def receipt(self, public_id: str) -> models.DeliveryReceipt:
        return self.call('GET', f'{API}/orders/{path_part(public_id)}/receipt')

    def refund(
        self,
        public_id: str,
        reason: str | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Refund:
        body = _given(public_id=public_id, reason=reason, note=note)
        return self.call('POST', f'{API}/refunds', body=body, idempotency_key=idempotency_key)

    def create_checkout_session(
        self, domain: str, idempotency_key: str | None = None, **more: Any
    ) -> models.CheckoutSession:
        body = _given(domain=domain, **more)
        return self.call('POST', f'{API}/checkout-session', body=body, idempotency_key=idempotency_key)

    def checkout_session(self, session_id: str) -> models.CheckoutSession:
        return self.call('GET', f'{API}/checkout-session/{path_part(session_id)}')

    def open_case(
        self,
        domain: str,
        tier: str,
        buyer_email: str,
        budget: int,
        idempotency_key: str | None = None,
        **more: Any,
    ) -> models.BrokerageCase:
        body = _given(domain=domain, tier=tier, buyer_email=buyer_email, budget=budget, **more)
        return self.call('POST', f'{API}/brokerage', body=body, idempotency_key=idempotency_key)

    def case(self, case_id: str) -> models.BrokerageCase:
        return self.call('GET', f'{API}/brokerage/{path_part(case_id)}')

    def create_link(
        self, type: str, idempotency_key: str | None = None, **more: Any
    ) -> models.ReferralLink:
        body = _given(type=type, **more)
        return self.call('POST', f'{API}/links', body=body, idempotency_key=idempotency_key)

    def settlements(self, **filters: Any) -> SettlementsPage:
        return self.call('GET', f'{API}/settlements', filters)

    def settlement(self, settlement_id: str) -> models.Settlement:
        return self.call('GET', f'{API}/settlements/{path_part(settlement_id)}')

    def events(self, **filters: Any) -> EventsPage:
        return self.call('GET', f'{API}/events', filters)

    def each_event(self, **filters: Any) -> Iterator[models.Event]:
        """The history in commit order, from `after_id` on if it is given."""
        return self._each(f'{API}/events', 'events', 'after_id', filters)

    def register_webhook(self, url: str, secret: str) -> models.WebhookEndpoint:
        return self.call('PUT', WEBHOOKS, body={'url': url, 'secret': secret})

    def webhook(self) -> models.WebhookEndpoint:
        return self.call('GET', WEBHOOKS)

    def send_test_event(self) -> dict[str, Any]:
        return self.call('POST', f'{WEBHOOKS}/test')

    def _each(self, path: str, rows: str, cursor: str, filters: Mapping[str, Any]) -> Iterator[Any]:
        asked = dict(filters)
        while True:
            page = self.call('GET', path, asked)
            yield from page[rows]
            if page['next_cursor'] is None:
                return
            asked[cursor] = page['next_cursor']


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
