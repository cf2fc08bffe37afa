/** What a bearer token can hold: other characters pass through no header, or become others on the way. */
export const TOKEN_TEXT = /^[\x20-\x7e]+$/
/** What is said of another. */
export const TOKEN_RULE = 'must be of letters, digits and signs that a header can carry'
