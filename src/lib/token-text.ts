/** What a bearer token can hold: other characters pass through no header, or become others on the way. */
export const TOKEN_TEXT = /^[\x20-\x7e]+$/
/** What is wrong with any other text. */
export const TOKEN_RULE = 'must be of letters, digits and signs that a header can carry'
