import { SpanKind } from '@opentelemetry/api'
import { type GuardedHttp, parseUrl } from 'domain-marketplace-safe-fetch'
import { inChildSpan } from './tracing.ts'

/** Records each request with its host alone: paths and queries of those we call may hold secrets. */
export function tracedHttp(http: GuardedHttp): GuardedHttp {
  return {
    ...http,
    request(url, policy, request) {
      const target = parseUrl(url)
      const attributes = {
        'http.request.method': request.method,
        ...(target && {
          'server.address': target.hostname.replace(/^\[|\]$/g, ''),
          'server.port': Number(target.port || (target.protocol === 'https:' ? 443 : 80)),
        }),
      }
      const send = () => http.request(url, policy, request)
      return inChildSpan(request.method, attributes, send, SpanKind.CLIENT)
    },
  }
}
