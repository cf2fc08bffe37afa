"""The public reads, which need no credential."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypedDict

from . import models
from .transport import Transport, path_part


class DomainSearch(TypedDict):
    query: str
    results: list[models.DomainResult]


class ListingsPage(TypedDict):
    items: list[models.Listing]
    page: models.Page


class BatchResponse(TypedDict):
    results: list[models.BatchResult]
    count: int
    failed: int


class PublicClient:
    """With an access token prices are real; without one they are null."""

    def __init__(
        self, base_url: str, access_token: str | None = None, timeout_s: float = 30, max_retries: int = 3
    ) -> None:
        headers = {} if access_token is None else {'Authorization': f'Bearer {access_token}'}
        self._transport = Transport(base_url, lambda *_: headers, timeout_s, max_retries)

    def search(self, q: str) -> DomainSearch:
        return self._transport.send('POST', '/api/domain/search', body={'q': q})

    def whois(self, domain: str) -> models.WhoisRecord:
        return self._transport.send('POST', '/api/tools/whois', body={'domain': domain})

    def tld_price(self, tld: str, op: str | None = None) -> models.TldPrice:
        return self._transport.send('GET', '/api/pricing/tld', {'tld': tld, 'op': op})

    def tld_requirements(self, tld: str) -> models.TldRequirements:
        return self._transport.send('GET', f'/api/tlds/{path_part(tld)}/metadata')

    def listings(self, **filters: Any) -> ListingsPage:
        return self._transport.send('GET', '/api/market/listings', filters)

    def each_listing(self, **filters: Any) -> Iterator[models.Listing]:
        asked = dict(filters)
        while True:
            page = self.listings(**asked)
            yield from page['items']
            if page['page']['next_cursor'] is None:
                return
            # A cursor says where it goes on: an offset beside it is rejected.
            asked.pop('offset', None)
            asked['cursor'] = page['page']['next_cursor']

    def batch(self, operations: list[Mapping[str, Any]]) -> BatchResponse:
        return self._transport.send('POST', '/api/batch', body={'operations': operations})
