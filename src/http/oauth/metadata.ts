import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { OAUTH_SCOPE } from '../../domain/oauth/oauth-scope.ts'
import { handlePreflight } from '../public/headers.ts'
import type { Web } from '../web.ts'

/** Both metadata documents; whoever reads them needs to know nothing but the base address. */
export function serveMetadata(
  fastify: FastifyInstance,
  { clock, settings, brand }: AppContext,
  web: Web,
): void {
  const { baseUrl } = settings
  // RFC 9728, section 2.
  serve('/.well-known/oauth-protected-resource', {
    resource: baseUrl,
    authorization_servers: [baseUrl],
    scopes_supported: [OAUTH_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: brand.name,
    resource_documentation: `${baseUrl}/docs`,
  })
  // RFC 8414, section 2; RFC 9207, section 3; RFC 9728, section 4.
  serve('/.well-known/oauth-authorization-server', {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/api/oauth/token`,
    registration_endpoint: `${baseUrl}/api/oauth/register`,
    revocation_endpoint: `${baseUrl}/api/oauth/revoke`,
    scopes_supported: [OAUTH_SCOPE],
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

  function serve(path: string, document: object): void {
    const body = JSON.stringify(document)
    fastify.options(path, async (_request, reply) => handlePreflight(reply, 'GET, HEAD'))
    fastify.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return reply
        .headers({
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'public, max-age=300',
        })
        .send(body)
    })
  }
}
