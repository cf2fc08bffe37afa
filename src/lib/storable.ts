/** A text as PostgreSQL can store it: no NUL, and no half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}
