import type { OAuthClient } from '../../domain/oauth/client.ts'
import type { RequestingApp } from '../../web/account/forms.tsx'

/** What a person must know to say yes or no: who asks, where the response goes, what it will see. */
export function Consent({
  app: oauthClient,
  client,
  email,
  redirectUri,
  sealed,
}: {
  app: RequestingApp
  client: OAuthClient
  email: string
  redirectUri: string
  sealed: string
}) {
  const isLocal = redirectUri.startsWith('http:')
  return (
    <>
      <h1>{`Allow ${client.name}?`}</h1>
      <p class="lead">
        It asks to see marketplace prices as you, <strong>{email}</strong>.
      </p>
      <ul class="grants">
        <li>
          See the real prices of domains for sale
          <small>pricing:read</small>
        </li>
        <li class="no">Nothing else: it cannot buy, sell or change anything of yours</li>
      </ul>
      <dl class="facts">
        <dt>Sends you to</dt>
        <dd>
          <code>{oauthClient.host}</code>
          {isLocal && ' (this computer)'}
        </dd>
        {client.kind === 'document' && (
          <>
            <dt>Published at</dt>
            <dd>
              <code>{new URL(client.client_id).host}</code>
            </dd>
          </>
        )}
      </dl>
      {client.kind === 'registered' && (
        <p class="soft">
          The app chose its name itself. Allow it only if you have just started this from an app
          that you trust.
        </p>
      )}
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="consent" value={sealed} />
        <div class="actions">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="quiet">
            Deny
          </button>
        </div>
      </form>
      <p class="aside">
        You can take this back at any time in <a href="/account/access">your account</a>.
      </p>
    </>
  )
}
