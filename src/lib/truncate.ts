/** How a text begins, so many characters at most: none of them is cut in half. */
export function truncate(text: string, length: number): string {
  return [...text.substring(0, 2 * length)].slice(0, length).join('')
}

/** The same, with a mark where the text goes on. */
export function ellipsize(text: string, length: number): string {
  const shown = truncate(text, length)
  return shown === text ? text : `${shown}…`
}
