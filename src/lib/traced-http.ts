import type { GuardedHttp } from 'domain-marketplace-safe-fetch'
import { inChildSpan } from './tracing.ts'

/** Records each request with its host alone: paths and queries of those we call may hold secrets. */
export function tracedHttp(http: GuardedHttp): GuardedHttp {
  return {
    ...http,
    request(url, policy, request) {
      const attributes = {
        'http.request.method': request.method,
        'server.address': URL.canParse(url) ? new URL(url).host : undefined,
      }
      return inChildSpan(request.method, attributes, () => http.request(url, policy, request))
    },
  }
}
