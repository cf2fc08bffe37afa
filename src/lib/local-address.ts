/** Where this machine reaches what listens on a host. */
export function localAddress(host: string, port: number | string): string {
  if (['::', '0.0.0.0', 'localhost'].includes(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
