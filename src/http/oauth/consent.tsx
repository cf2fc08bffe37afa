import type { AppScope } from '../../core/caller.ts'
import type { OAuthClient } from '../../domain/oauth/client.ts'
import type { RequestingApp } from '../../web/account/forms.tsx'
import { Field } from '../../web/components/form.tsx'
import type { MandateFields, MandateProblems } from './mandate-form.ts'

const GRANTS: Record<AppScope, string> = {
  'pricing:read': 'See the real prices of domains for sale',
  'orders:create':
    'Buy domains with your saved card, within the limits below, and make offers for you',
  'domains:manage':
    'Change your domains: renew them with your saved card, change their settings, and list them for sale',
}

/** What a person must know to say yes or no: who asks, where the response goes, what it may do. */
export function Consent({
  app: oauthClient,
  client,
  scopes,
  email,
  redirectUri,
  sealed,
  mandate,
}: {
  app: RequestingApp
  client: OAuthClient
  scopes: readonly AppScope[]
  email: string
  redirectUri: string
  sealed: string
  /** What it may spend, where it asks to buy. */
  mandate: LimitsForm | null
}) {
  const isLocal = redirectUri.startsWith('http:')
  return (
    <>
      <h1>{`Allow ${client.name}?`}</h1>
      <p class="lead">
        {mandate === null && scopes.length === 1 && scopes[0] === 'pricing:read'
          ? 'It asks to see marketplace prices as you, '
          : 'It asks to act as you, '}
        <strong>{email}</strong>.
      </p>
      <ul class="grants">
        {scopes.map((scope) => (
          <li>
            {GRANTS[scope]}
            <small>{scope}</small>
          </li>
        ))}
        <li class="no">{nothingElse(scopes)}</li>
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
        {mandate && <Limits {...mandate} />}
        <div class="actions">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
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

function nothingElse(scopes: readonly AppScope[]): string {
  if (scopes.includes('domains:manage')) {
    return 'Nothing else: it cannot change your password or where you are paid'
  }
  return scopes.includes('orders:create')
    ? 'Nothing else: it cannot sell or change anything of yours'
    : 'Nothing else: it cannot buy, sell or change anything of yours'
}

interface LimitsForm {
  fields: MandateFields
  problems: MandateProblems
  days: { min: string; max: string }
}

function Limits({ fields, problems, days }: LimitsForm) {
  return (
    <fieldset>
      <legend>What it may spend</legend>
      <Field
        label="For one purchase, at most"
        name="max_per_order"
        value={fields.max_per_order}
        problem={problems.max_per_order}
        hint="With tax, in the currency below."
        inputmode="decimal"
        required
      />
      <Field
        label="For all purchases together, at most"
        name="max_total"
        value={fields.max_total}
        problem={problems.max_total}
        inputmode="decimal"
        required
      />
      <Field
        label="Currency"
        name="currency"
        value={fields.currency}
        problem={problems.currency}
        hint="It can buy only what is priced in this currency."
        maxlength={3}
        required
      />
      <Field
        label="Until the end of"
        name="expires_at"
        type="date"
        value={fields.expires_at.slice(0, 10)}
        problem={problems.expires_at}
        {...days}
        required
      />
      <p class="soft">
        It buys without asking you again, and each purchase is final once its transfer starts. You
        get a mail for every purchase, and can cancel it in your account until then.
      </p>
    </fieldset>
  )
}
