<?php
// Quotes a domain, records its sale, and checks a webhook, with PHP 8.1 or later and nothing else.
// php sell.php DOMAIN, next to market.php. Set the variables that market.php describes.

declare(strict_types=1);

require __DIR__ . '/market.php';

const API = '/api/partner/v1';

// By default PHP reports errors where its configuration says, which may be nowhere.
set_exception_handler(function (Throwable $error): void {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
});

/** Checks X-Service-Signature of a webhook over its raw body, in constant time. */
function isAuthentic(string $secret, string $signature, string $body): bool
{
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

if ($argc !== 2) {
    fwrite(STDERR, "say which domain to sell\n");
    exit(1);
}
$domain = $argv[1];
$quote = call('POST', API . '/quotes', body: ['domain' => $domain]);
$order = call('POST', API . '/orders', body: [
    'domain' => $domain,
    'quote_id' => $quote['quote_id'],
    'sale_price_cents' => $quote['price_cents'],
    'external_payment_ref' => "php-{$quote['quote_id']}",
    'buyer' => ['email' => 'buyer@example.com'],
]);
[$found] = call('GET', API . '/orders', [['domain', $domain], ['limit', '1']])['orders'];
assert($found['public_id'] === $order['public_id']);
echo json_encode(array_intersect_key($order, array_flip(['public_id', 'domain', 'status']))), "\n";
if (getenv('WEBHOOK_BODY') !== false) {
    [$secret, $signature, $body] = array_map('getenv', ['WEBHOOK_SECRET', 'WEBHOOK_SIGNATURE', 'WEBHOOK_BODY']);
    echo 'webhook: ', isAuthentic($secret, $signature, $body) ? 'right' : 'wrong', "\n";
    echo 'webhook: ', isAuthentic($secret, $signature, "$body ") ? 'wrong' : 'altered', "\n";
}
