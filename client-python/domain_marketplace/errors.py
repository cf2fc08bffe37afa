from __future__ import annotations

from typing import Any


class MarketplaceError(Exception):
    """What every error of this package is."""


class ApiError(MarketplaceError):
    """An error response. The code is `unknown` if something other than the service responded, such as a proxy."""

    def __init__(self, status: int, body: Any, retry_after: float | None = None) -> None:
        error = body.get('error') if isinstance(body, dict) else None
        error = error if isinstance(error, dict) else {}
        self.status = status
        self.code: str = error.get('code', 'unknown')
        self.details: Any = error.get('details')
        self.request_id: str | None = error.get('request_id')
        # In how many seconds the service wants to be asked again.
        self.retry_after = retry_after
        message = error.get('message', "The response was not the service's.")
        super().__init__(f'{status} {self.code}: {message} ({self.request_id})')


class ConnectionLost(MarketplaceError):
    """No response arrived, so the outcome is unknown. Repeat a POST with the same idempotency key."""


class WebhookVerificationError(MarketplaceError):
    """A delivery that is not the service's, or is too old."""
