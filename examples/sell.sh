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

# verify SECRET ID TIMESTAMP SIGNATURES BODY: checks a webhook by its header fields webhook-id, webhook-timestamp
# and webhook-signature (Standard Webhooks).
verify() {
  local expected signature now
  now=$(date +%s)
  # An old delivery may have been recorded by somebody who sends it again.
  [[ $3 =~ ^[0-9]{1,12}$ ]] || return 1
  ((now - 10#$3 <= 300 && 10#$3 - now <= 300)) || return 1
  expected=v1,$(printf %s "$2.$3.$5" | hmac "$1" -binary | openssl base64 -A)
  for signature in $4; do
    # Compares hashes of both, so that the time it takes reveals nothing.
    if [ "$(printf %s "$expected" | openssl dgst -sha256)" = "$(printf %s "$signature" | openssl dgst -sha256)" ]; then
      return 0
    fi
  done
  return 1
}
if [ -n "${WEBHOOK_BODY:-}" ]; then
  set -- "$WEBHOOK_SECRET" "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$WEBHOOK_SIGNATURE"
  verify "$@" "$WEBHOOK_BODY" && echo 'webhook: right'
  verify "$@" "$WEBHOOK_BODY " || echo 'webhook: altered'
fi
