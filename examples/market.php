<?php
// Signs and sends partner requests, with PHP 8.1 or later and nothing else: require 'market.php'.
// Set SERVICE_KEY_ID and SERVICE_SECRET, and SERVICE_URL unless it is http://localhost:3000.

declare(strict_types=1);

/**
 * Signs and sends a request, and retries it with a new nonce and the same key if it may succeed later.
 * The query is pairs of key and value; a key may come more than once. The key is the Idempotency-Key of
 * a POST; give one of your own to repeat a request after a crash.
 */
function call(string $method, string $path, array $query = [], ?array $body = null, ?string $key = null): array
{
    usort($query, fn (array $a, array $b): int => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
    $encoded = implode('&', array_map(fn (array $pair) => implode('=', array_map('rawurlencode', $pair)), $query));
    $data = $body === null ? '' : json_encode($body === [] ? new stdClass() : $body, JSON_THROW_ON_ERROR);
    $key ??= $method === 'POST' ? bin2hex(random_bytes(16)) : null;
    for ($attempt = 1; ; $attempt++) {
        $timestamp = (string) time();
        $nonce = bin2hex(random_bytes(16));
        $canonical = implode("\n", [$method, $path, $encoded, $timestamp, $nonce, hash('sha256', $data)]);
        $signature = hash_hmac('sha256', $canonical, getenv('SERVICE_SECRET'));
        $headers = [
            'X-Service-Key-Id: ' . getenv('SERVICE_KEY_ID'),
            "X-Service-Timestamp: $timestamp",
            "X-Service-Nonce: $nonce",
            "X-Service-Signature: v1=$signature",
            ...($key === null ? [] : ["Idempotency-Key: $key"]),
            ...($data === '' ? [] : ['Content-Type: application/json']),
        ];
        $url = (getenv('SERVICE_URL') ?: 'http://localhost:3000') . $path . ($encoded === '' ? '' : "?$encoded");
        $options = ['method' => $method, 'header' => $headers, 'content' => $data, 'ignore_errors' => true,
            'follow_location' => 0, 'timeout' => 30];
        // Otherwise the headers of the previous attempt would remain when no response arrives.
        $http_response_header = [];
        $response = @file_get_contents($url, false, stream_context_create(['http' => $options]));
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        $parsed = json_decode((string) $response, true);
        if ($status >= 200 && $status < 300 && is_array($parsed)) {
            return $parsed;
        }
        $found = preg_grep('/^Retry-After:/i', $http_response_header);
        $retryAfter = $found ? trim(explode(':', current($found), 2)[1]) : '';
        // No status, or invalid JSON after a success: the response was lost, so the outcome is unknown. The key
        // makes the repeat safe. 409 with Retry-After: the first request is still running.
        $again = $status < 300 || in_array($status, [429, 500, 502, 503, 504], true)
            || ($status === 409 && $retryAfter !== '');
        if ($attempt === 4 || !$again) {
            throw new RuntimeException("$method $path: $status $response");
        }
        sleep(pauseOf($retryAfter, 2 ** $attempt));
    }
}

/** Retry-After is seconds or a date (RFC 9110, 10.2.3): the seconds to wait, at most 60. */
function pauseOf(string $retryAfter, int $otherwise): int
{
    if (preg_match('/^\d+$/', $retryAfter)) {
        return min(60, (int) $retryAfter);
    }
    $until = strtotime($retryAfter);
    return $until === false ? $otherwise : max(0, min(60, $until - time()));
}
