# Signs partner requests for curl, with Bash and openssl. Source it:
#   . ./market.sh
# Set SERVICE_KEY_ID and SERVICE_SECRET, and SERVICE_URL unless it is http://localhost:3000.

SERVICE_URL=${SERVICE_URL:-http://localhost:3000}

# hmac SECRET FORMAT: the HMAC-SHA256 of what comes in, as `openssl dgst` prints it (-r or -binary).
# Made of two hashes (RFC 2104): `openssl dgst -hmac` would show the secret to everybody who lists processes.
hmac() {
  local key inner='' outer='' byte i
  # Behind whsec_ a secret is base64, as webhooks have it.
  key=$(case $1 in
    (whsec_*) printf %s "${1#whsec_}" | openssl base64 -d -A ;;
    (*) printf %s "$1" ;;
  esac | od -An -v -tx1 | tr -d ' \n')
  # A key of more than 64 bytes is hashed first.
  if ((${#key} > 128)); then
    key=$(printf "$(printf %s "$key" | sed 's/../\\x&/g')" | openssl dgst -sha256 -r | cut -d' ' -f1)
  fi
  for ((i = 0; i < 128; i += 2)); do
    byte=${key:i:2}
    printf -v inner '%s\\x%02x' "$inner" $((0x${byte:-0} ^ 0x36))
    printf -v outer '%s\\x%02x' "$outer" $((0x${byte:-0} ^ 0x5c))
  done
  {
    printf "$outer"
    {
      printf "$inner"
      cat
    } | openssl dgst -sha256 -binary
  } | openssl dgst -sha256 "$2"
}

# sign METHOD TARGET [BODY]: prints the four signing headers, for `curl --header @-`.
# The target is the path and, behind `?`, the query, sorted by key and percent-encoded.
sign() {
  local path=${2%%\?*} query=${2#"${2%%\?*}"} timestamp nonce hash signature
  timestamp=$(date +%s)
  nonce=$(openssl rand -hex 16)
  hash=$(printf %s "${3:-}" | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf '%s\n%s\n%s\n%s\n%s\n%s' "$1" "$path" "${query#\?}" "$timestamp" "$nonce" "$hash" |
    hmac "$SERVICE_SECRET" -r | cut -d' ' -f1)
  printf '%s\n' \
    "X-Service-Key-Id: $SERVICE_KEY_ID" \
    "X-Service-Timestamp: $timestamp" \
    "X-Service-Nonce: $nonce" \
    "X-Service-Signature: v1=$signature"
}
