/** How a text begins, so many characters at most: none of them is cut in half. */
export function beginning(text: string, length: number): string {
  return [...text.substring(0, 2 * length)].slice(0, length).join('')
}
