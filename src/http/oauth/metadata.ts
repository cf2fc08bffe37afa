import type { FastifyInstance, FastifyRequest } from 'fastify'
import { APP_SCOPES } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { isResourcePath } from '../../domain/oauth/oauth-error.ts'
import { handlePreflight } from '../public/headers.ts'
import type { Web } from '../web.ts'

/** Both metadata documents; whoever reads them needs to know nothing but the base address. */
export function serveMetadata(
  fastify: FastifyInstance,
  { clock, settings, brand }: AppContext,
  web: Web,
): void {
  const { baseUrl } = settings
  // RFC 9728, sections 2 and 3: the metadata of a resource are below its path, and name what was asked for.
  serve('/.well-known/oauth-protected-resource', resourceAt(''))
  serve('/.well-known/oauth-protected-resource/*', (request) => {
    const path = `/${(request.params as { '*': string })['*']}`
    if (path === '/') return resourceAt('')
    if (!isResourcePath(path)) throw notFound('resource')
    return resourceAt(path)
  })
  // RFC 8414, section 2; RFC 9207, section 3; RFC 9728, section 4.
  serve('/.well-known/oauth-authorization-server', {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/api/oauth/token`,
    registration_endpoint: `${baseUrl}/api/oauth/register`,
    revocation_endpoint: `${baseUrl}/api/oauth/revoke`,
    scopes_supported: APP_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [baseUrl],
    service_documentation: `${baseUrl}/docs`,
  })

  function resourceAt(path: string) {
    return {
      resource: `${baseUrl}${path}`,
      authorization_servers: [baseUrl],
      scopes_supported: APP_SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: brand.name,
      resource_documentation: `${baseUrl}/docs`,
    }
  }

  function serve(path: string, document: object | ((request: FastifyRequest) => object)): void {
    fastify.options(path, async (_request, reply) => handlePreflight(reply, 'GET, HEAD'))
    fastify.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return reply
        .headers({
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'public, max-age=300',
        })
        .send(JSON.stringify(typeof document === 'function' ? document(request) : document))
    })
  }
}
