/** What an error says, in one line. */
export function errorMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return (message || code || String(error)).replace(/\s+/g, ' ')
}
