/** What a bearer token can hold: other characters pass through no header, or become others on the way. */
export const TOKEN_TEXT = /^[\x20-\x7e]+$/
