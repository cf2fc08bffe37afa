/** What a model may read before it acts, also served as `/llms.txt`. */
export const GUIDES = [
  {
    uri: 'marketplace://overview',
    name: 'overview',
    title: 'What this marketplace offers',
    description: 'What can be asked here, and where it is documented.',
    text: (baseUrl: string) => `# Domain Marketplace

> Availability, WHOIS, prices and marketplace listings of domain names, for anyone, without an account.

- Read API: [OpenAPI 3.1](${baseUrl}/openapi.json), [the same for people](${baseUrl}/docs)
- MCP server (Streamable HTTP, signed in or not): ${baseUrl}/mcp
- Up to 20 reads in one request: POST ${baseUrl}/api/batch; GET lists the operations with JSON Schemas
- Partner API for those who sell: [OpenAPI 3.1](${baseUrl}/openapi-partner.json)

Prices of marketplace listings are \`null\` with \`price_masked: true\` until an access token is sent.
Prices of registrations, renewals and transfers are for everybody.
`,
  },
  {
    uri: 'marketplace://sign-in',
    name: 'sign-in',
    title: 'How to sign a user in',
    description: 'How to get an access token, with which marketplace prices are real.',
    text: (baseUrl: string) => `# Signing a user in

OAuth 2.1 with PKCE (S256), public clients only, one scope: \`pricing:read\`.

1. Discover: ${baseUrl}/.well-known/oauth-protected-resource names the authorization server, whose metadata
   is at ${baseUrl}/.well-known/oauth-authorization-server.
2. Register: POST ${baseUrl}/api/oauth/register with \`redirect_uris\` and \`client_name\`; or use the https
   address of your client metadata document as the client id.
3. Send the user to ${baseUrl}/oauth/authorize. They sign in and see who asks.
4. Exchange the code within 60 seconds: POST ${baseUrl}/api/oauth/token. Check that \`iss\` is ${baseUrl}.
5. Send \`Authorization: Bearer <access_token>\` to ${baseUrl}/mcp or to the read API. It lives 30 minutes; the
   refresh token lives 30 days and is exchanged for a new one each time. Never send one twice: that ends the
   sign-in.
`,
  },
]
