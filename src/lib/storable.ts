/** A text as PostgreSQL can store it, which stores no NUL. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}
