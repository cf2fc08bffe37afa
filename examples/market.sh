# Signs partner requests for curl, with Bash and openssl. Source it:
#   . ./market.sh
# Set SERVICE_KEY_ID and SERVICE_SECRET, and SERVICE_URL unless it is http://localhost:3000.

SERVICE_URL=${SERVICE_URL:-http://localhost:3000}

# sign METHOD TARGET [BODY]: prints the four signing headers, for `curl --header @-`.
# The target is the path and, behind `?`, the query, sorted by key and percent-encoded.
sign() {
  local path=${2%%\?*} query=${2#"${2%%\?*}"} timestamp nonce hash signature
  timestamp=$(date +%s)
  nonce=$(openssl rand -hex 16)
  hash=$(printf %s "${3:-}" | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf '%s\n%s\n%s\n%s\n%s\n%s' "$1" "$path" "${query#\?}" "$timestamp" "$nonce" "$hash" |
    openssl dgst -sha256 -r -hmac "$SERVICE_SECRET" | cut -d' ' -f1)
  printf '%s\n' \
    "X-Service-Key-Id: $SERVICE_KEY_ID" \
    "X-Service-Timestamp: $timestamp" \
    "X-Service-Nonce: $nonce" \
    "X-Service-Signature: v1=$signature"
}
