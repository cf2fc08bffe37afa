/** What is wrong with the address of a service, to follow its name; it repeats none, which may hold a password. */
export function flawOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    return 'must be an address with http:// or https://, such as https://market.example.'
  }
  if (url.username || url.password) return 'must have no user name and no password.'
  // The API has its paths at the root, and they are signed.
  if (url.pathname !== '/' || url.search || url.hash) {
    return `must have nothing after the host: ${url.origin}.`
  }
  return undefined
}
