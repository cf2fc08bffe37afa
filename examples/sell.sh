#!/usr/bin/env bash
# Quotes a domain, records its sale, and checks a webhook: with curl, openssl and jq.
# sell.sh DOMAIN, with SERVICE_KEY_ID and SERVICE_SECRET set, and SERVICE_URL unless it is http://localhost:3000.
set -euo pipefail

domain=${1:?say which domain to sell}
service=${SERVICE_URL:-http://localhost:3000}

# call METHOD PATH QUERY BODY [IDEMPOTENCY_KEY]: the query must be sorted and percent-encoded already.
# A refusal goes to stderr, and ends the script.
call() {
  local method=$1 path=/api/partner/v1$2 query=$3 body=$4 key=${5:-}
  local timestamp nonce hash signature answer status
  timestamp=$(date +%s)
  nonce=$(openssl rand -hex 16)
  hash=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf '%s\n%s\n%s\n%s\n%s\n%s' "$method" "$path" "$query" "$timestamp" "$nonce" "$hash" |
    openssl dgst -sha256 -r -hmac "$SERVICE_SECRET" | cut -d' ' -f1)
  # The status comes as a last line of its own.
  answer=$(curl --silent --show-error --write-out '\n%{http_code}' \
    --request "$method" "$service$path${query:+?$query}" \
    --header "X-Service-Key-Id: $SERVICE_KEY_ID" \
    --header "X-Service-Timestamp: $timestamp" \
    --header "X-Service-Nonce: $nonce" \
    --header "X-Service-Signature: v1=$signature" \
    ${key:+--header "Idempotency-Key: $key"} \
    ${body:+--header 'Content-Type: application/json' --data-binary "$body"}) || return
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  if [[ $status != 2* ]]; then
    echo "$method $path was refused: $status $answer" >&2
    return 1
  fi
  printf '%s\n' "$answer"
}

quote=$(call POST /quotes '' "$(jq -nc --arg domain "$domain" '{$domain}')" "$(openssl rand -hex 16)")
order=$(jq -c '{domain, quote_id, sale_price_cents: .price_cents,
  external_payment_ref: "sh-\(.quote_id)", buyer: {email: "buyer@example.com"}}' <<<"$quote")

# The same key and body again give the same order again: that is how a lost answer is repeated.
key=$(openssl rand -hex 16)
first=$(call POST /orders '' "$order" "$key")
again=$(call POST /orders '' "$order" "$key")
if [ "$first" != "$again" ]; then
  echo 'The repeat was answered differently.' >&2
  exit 1
fi
jq -c '{public_id, domain, status}' <<<"$again"

# verify SECRET SIGNATURE BODY: is X-Service-Signature of a webhook right?
verify() {
  local expected
  expected=$(printf %s "$3" | openssl dgst -sha256 -r -hmac "$1" | cut -d' ' -f1)
  # Of the hashes of both, so that the time that it takes tells nothing.
  [ "$(printf %s "$expected" | sha256sum)" = "$(printf %s "$2" | sha256sum)" ]
}
if [ -n "${WEBHOOK_BODY:-}" ]; then
  verify "$WEBHOOK_SECRET" "$WEBHOOK_SIGNATURE" "$WEBHOOK_BODY" && echo 'webhook: right'
  verify "$WEBHOOK_SECRET" "$WEBHOOK_SIGNATURE" "$WEBHOOK_BODY " || echo 'webhook: altered'
fi
