"""Client of the Domain Marketplace Service, with the standard library of Python 3.9 or later."""

from .errors import ApiError, ConnectionLost, MarketplaceError, WebhookVerificationError
from .partner import PartnerClient
from .public import PublicClient
from .signing import canonical_query, canonical_string, signature_headers
from .webhooks import sign_webhook, verify_webhook

__all__ = [
    'ApiError',
    'ConnectionLost',
    'MarketplaceError',
    'PartnerClient',
    'PublicClient',
    'WebhookVerificationError',
    'canonical_query',
    'canonical_string',
    'sign_webhook',
    'signature_headers',
    'verify_webhook',
]
