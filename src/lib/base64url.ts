/** The bytes of a text, or null for another spelling of them: base64 has spare bits. */
export function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
