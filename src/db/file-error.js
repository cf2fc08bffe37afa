/** By number of WASI, which is all that PGlite says of a file that failed. @type {Record<number, string>} */
const REASONS = {
  2: 'permission denied',
  19: 'the disk quota is used up',
  22: 'a file would be too large',
  29: 'the disk failed to read or write',
  33: 'too many files are open',
  51: 'no space is left on the disk',
  69: 'the file system is read-only',
}

/** An error with a message, whatever PGlite threw. @param {unknown} error @returns {Error} */
export function asError(error) {
  if (error instanceof Error) return error
  const { message, errno } = /** @type {{ message?: string, errno?: number }} */ (error)
  return new Error(message ?? REASONS[errno ?? -1] ?? `a file failed, with the number ${errno}`)
}
