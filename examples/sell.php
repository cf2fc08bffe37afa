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

/** Checks a webhook by its header fields webhook-id, webhook-timestamp and webhook-signature, over its raw body. */
function isAuthentic(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    // An old delivery may have been recorded by somebody who sends it again.
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
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
    $known = array_map(fn (string $name) => getenv("WEBHOOK_$name"), ['SECRET', 'ID', 'TIMESTAMP', 'SIGNATURE']);
    $body = getenv('WEBHOOK_BODY');
    echo 'webhook: ', isAuthentic(...[...$known, $body]) ? 'right' : 'wrong', "\n";
    echo 'webhook: ', isAuthentic(...[...$known, "$body "]) ? 'wrong' : 'altered', "\n";
}
