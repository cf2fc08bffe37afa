/**
 * A URL, or null where the text is none. Not by `URL.canParse`: in Node 20 and 22 it takes names beyond ASCII for
 * invalid once V8 has optimized it, after some thousand calls.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
