<?php
// Quotes a domain, records its sale, and checks a webhook, with PHP 8.1 or later and nothing else.
// php sell.php DOMAIN, with SERVICE_KEY_ID and SERVICE_SECRET set, and SERVICE_URL unless it is
// http://localhost:3000.

declare(strict_types=1);

const BASE = '/api/partner/v1';

// By itself PHP tells of a refusal where its configuration says, which may be nowhere.
set_exception_handler(function (Throwable $error): void {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
});

/**
 * Signs and sends a request, again if it may succeed later: with a new nonce and the same key.
 * The query is pairs of key and value; a key may come more than once.
 */
function call(string $method, string $path, array $query = [], ?array $body = null, ?string $key = null): array
{
    usort($query, fn (array $a, array $b): int => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
    $encoded = implode('&', array_map(fn (array $pair) => implode('=', array_map('rawurlencode', $pair)), $query));
    $data = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
    $key ??= $method === 'POST' ? bin2hex(random_bytes(16)) : null;
    for ($attempt = 1; ; $attempt++) {
        $timestamp = (string) time();
        $nonce = bin2hex(random_bytes(16));
        $canonical = implode("\n", [$method, BASE . $path, $encoded, $timestamp, $nonce, hash('sha256', $data)]);
        $signature = hash_hmac('sha256', $canonical, getenv('SERVICE_SECRET'));
        $headers = [
            'X-Service-Key-Id: ' . getenv('SERVICE_KEY_ID'),
            "X-Service-Timestamp: $timestamp",
            "X-Service-Nonce: $nonce",
            "X-Service-Signature: v1=$signature",
            ...($key === null ? [] : ["Idempotency-Key: $key"]),
            ...($data === '' ? [] : ['Content-Type: application/json']),
        ];
        $url = (getenv('SERVICE_URL') ?: 'http://localhost:3000') . BASE . $path . ($encoded === '' ? '' : "?$encoded");
        $options = ['method' => $method, 'header' => $headers, 'content' => $data, 'ignore_errors' => true,
            'follow_location' => 0, 'timeout' => 30];
        // Otherwise those of the attempt before would stay when no answer comes.
        $http_response_header = [];
        $answer = @file_get_contents($url, false, stream_context_create(['http' => $options]));
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        $said = json_decode((string) $answer, true);
        if ($status >= 200 && $status < 300 && is_array($said)) {
            return $said;
        }
        $found = preg_grep('/^Retry-After:/i', $http_response_header);
        $retryAfter = $found ? trim(explode(':', current($found), 2)[1]) : '';
        // No status, or no JSON after a good one: the answer is lost or cut off. Whether it happened is not
        // known: the key makes the repeat safe. 409 with Retry-After: the first request is still running.
        $again = $status < 300 || in_array($status, [429, 500, 502, 503, 504], true)
            || ($status === 409 && $retryAfter !== '');
        if ($attempt === 4 || !$again) {
            throw new RuntimeException("$method $path: $status $answer");
        }
        sleep(pauseOf($retryAfter, 2 ** $attempt));
    }
}

/** Retry-After is seconds or a date (RFC 9110, 10.2.3): how long to wait, a minute at the most. */
function pauseOf(string $retryAfter, int $otherwise): int
{
    if (preg_match('/^\d+$/', $retryAfter)) {
        return min(60, (int) $retryAfter);
    }
    $until = strtotime($retryAfter);
    return $until === false ? $otherwise : max(0, min(60, $until - time()));
}

/** Checks X-Service-Signature of a webhook over its raw body, in constant time. */
function isOurs(string $secret, string $signature, string $body): bool
{
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

if ($argc !== 2) {
    fwrite(STDERR, "say which domain to sell\n");
    exit(1);
}
$domain = $argv[1];
$quote = call('POST', '/quotes', body: ['domain' => $domain]);
$order = call('POST', '/orders', body: [
    'domain' => $domain,
    'quote_id' => $quote['quote_id'],
    'sale_price_cents' => $quote['price_cents'],
    'external_payment_ref' => "php-{$quote['quote_id']}",
    'buyer' => ['email' => 'buyer@example.com'],
]);
[$found] = call('GET', '/orders', [['domain', $domain], ['limit', '1']])['orders'];
assert($found['public_id'] === $order['public_id']);
echo json_encode(array_intersect_key($order, array_flip(['public_id', 'domain', 'status']))), "\n";
if (getenv('WEBHOOK_BODY') !== false) {
    [$secret, $signature, $body] = array_map('getenv', ['WEBHOOK_SECRET', 'WEBHOOK_SIGNATURE', 'WEBHOOK_BODY']);
    echo 'webhook: ', isOurs($secret, $signature, $body) ? 'right' : 'wrong', "\n";
    echo 'webhook: ', isOurs($secret, $signature, "$body ") ? 'wrong' : 'altered', "\n";
}
