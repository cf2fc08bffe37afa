#!/usr/bin/env bash
# Quotes a domain, records its sale, and checks a webhook: with curl, openssl and jq.
# sell.sh DOMAIN, next to market.sh. Set the variables that market.sh describes.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/market.sh"

domain=${1:?say which domain to sell}

# call METHOD PATH [BODY] [IDEMPOTENCY_KEY]: an error response is printed to stderr and ends the script.
call() {
  local method=$1 path=/api/partner/v1$2 body=${3:-} key=${4:-} response status
  # The status is the last line.
  response=$(sign "$method" "$path" "$body" | curl --silent --show-error --write-out '\n%{http_code}' \
    --request "$method" --header @- "$SERVICE_URL$path" \
    ${key:+--header "Idempotency-Key: $key"} \
    ${body:+--header 'Content-Type: application/json' --data-binary "$body"}) || return
  status=${response##*$'\n'}
  response=${response%$'\n'*}
  if [[ $status != 2* ]]; then
    echo "$method $path was rejected: $status $response" >&2
    return 1
  fi
  printf '%s\n' "$response"
}

quote=$(call POST /quotes "$(jq -nc --arg domain "$domain" '{$domain}')" "$(openssl rand -hex 16)")
order=$(jq -c '{domain, quote_id, sale_price_cents: .price_cents,
  external_payment_ref: "sh-\(.quote_id)", buyer: {email: "buyer@example.com"}}' <<<"$quote")

# The same key and body return the same order, so a request whose response was lost can be repeated.
key=$(openssl rand -hex 16)
first=$(call POST /orders "$order" "$key")
again=$(call POST /orders "$order" "$key")
if [ "$first" != "$again" ]; then
  echo 'The repeat got another response.' >&2
  exit 1
fi
jq -c '{public_id, domain, status}' <<<"$again"

# verify SECRET SIGNATURE BODY: checks the X-Service-Signature of a webhook.
verify() {
  local expected
  expected=$(printf %s "$3" | openssl dgst -sha256 -r -hmac "$1" | cut -d' ' -f1)
  # Compares hashes of both, so that the time it takes reveals nothing.
  [ "$(printf %s "$expected" | sha256sum)" = "$(printf %s "$2" | sha256sum)" ]
}
if [ -n "${WEBHOOK_BODY:-}" ]; then
  verify "$WEBHOOK_SECRET" "$WEBHOOK_SIGNATURE" "$WEBHOOK_BODY" && echo 'webhook: right'
  verify "$WEBHOOK_SECRET" "$WEBHOOK_SIGNATURE" "$WEBHOOK_BODY " || echo 'webhook: altered'
fi
