from __future__ import annotations

from typing import Any


class MarketplaceError(Exception):
    """What every error of this package is, except a `ValueError`: an argument that cannot be right."""


class ApiError(MarketplaceError):
    """An error response. The code is `unknown` if something other than the service responded, such as a proxy."""

    def __init__(
        self, status: int, body: Any, retry_after: float | None = None, location: str | None = None
    ) -> None:
        error = body.get('error') if isinstance(body, dict) else None
        error = error if isinstance(error, dict) else {}
        self.status = status
        self.code: str = error.get('code', 'unknown')
        self.details: Any = error.get('details')
        self.request_id: str | None = error.get('request_id')
        # In how many seconds the service wants to be asked again.
        self.retry_after = retry_after
        stranger = "The response was not the service's."
        if 300 <= status < 400 and location is not None:
            stranger = f'The response was a redirect to {location}: base_url must be the address of the service itself.'
        message = error.get('message', stranger)
        cause = self.details.get('likely_cause') if isinstance(self.details, dict) else None
        if cause is not None:
            message = f'{message} {cause}'
        super().__init__(f'{status} {self.code}: {message} ({self.request_id})')


class ConnectionLost(MarketplaceError):
    """No response arrived, so the outcome is unknown. Repeat a POST with the same idempotency key."""


class WebhookVerificationError(MarketplaceError):
    """A delivery that is not the service's, or is too old."""
