/** Whether an address is one that only this machine reaches. */
export function isLoopbackUrl(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}
