import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { SCOPES, type Scope } from '../../core/caller.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  type NewCredentialView,
  newCredentialSecret,
  newKeyPair,
} from '../../domain/partners/credential.ts'
import { credentialsOf } from '../../domain/partners/list-credentials.ts'
import {
  createOwnCredential,
  revokeOwnCredential,
  rotateOwnCredential,
} from '../../domain/partners/own-credentials.ts'
import { ActionButton, Check } from '../components/form.tsx'
import { toneOf } from '../components/humanize.ts'
import { Table } from '../components/list.tsx'
import {
  Badge,
  Copyable,
  Day,
  Empty,
  Heading,
  Id,
  Notice,
  Timestamp,
} from '../components/parts.tsx'
import { at } from './choices.ts'
import { openFormSecret, sealFormSecret } from './form-secret.ts'
import type { Portal, PortalContext } from './portal.tsx'

type NewCredential = z.output<typeof NewCredentialView>

/** What the partner signs with: made, rotated and revoked. */
export function serveCredentials(portal: Portal): void {
  const { app } = portal
  portal.get('/credentials', (page) => showCredentials(page))

  portal.post(
    '/credentials',
    async (page) => {
      const { form, environment } = page
      const scopes = SCOPES.filter((scope) => form.getAll('scopes').includes(scope))
      const { keyId: key_id, secret } = openFormSecret(app, page, 'credential')
      const input = { environment, scopes, key_id, secret }
      const made = await portal.write(page, createOwnCredential, input)
      return showSecret(portal, page, made, 'Your new credential')
    },
    showCredentials,
  )

  portal.post(
    '/credentials/:keyId/rotate',
    async (page) => {
      const key_id = page.params.keyId
      const { secret } = openFormSecret(app, page, `rotate ${key_id}`)
      const made = await portal.write(page, rotateOwnCredential, { key_id, secret })
      return showSecret(
        portal,
        page,
        made,
        'Your new secret',
        'The one before works for another day, so that your servers can change over.',
      )
    },
    showCredentials,
  )

  portal.post(
    '/credentials/:keyId/revoke',
    async (page) => {
      const key_id = page.params.keyId
      await portal.write(page, revokeOwnCredential, { key_id })
      return page.goOn(`${page.base}/credentials`, `${key_id} is revoked.`)
    },
    showCredentials,
  )

  async function ownCredentials({ partner, environment }: PortalContext) {
    const credentials = await credentialsOf(app.db, partner.partnerId)
    return credentials.filter((each) => each.environment === environment)
  }

  async function showCredentials(page: PortalContext, problem?: ApiError): Promise<FastifyReply> {
    const { base, environment, account } = page
    const path = `${base}/credentials`
    const mayMake = environment === 'sandbox' || account.live_approved_at !== null
    return portal.show(
      page,
      { title: 'Credentials', at: '/credentials', problem, status: problem?.status ?? 200 },
      <>
        <Heading title="Credentials" />
        <Table
          isMain
          caption="Credentials, newest first"
          columns={[
            { label: 'Key id', cell: ({ key_id }) => <Id id={key_id} /> },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={status} />,
            },
            { label: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
            {
              label: 'Last used',
              cell: ({ last_used_at }) => <Timestamp at={at(last_used_at)} none="never" />,
            },
            { label: 'Made', cell: ({ created_at }) => <Day at={at(created_at)} /> },
            {
              label: '',
              cell: ({ key_id, status }) =>
                status === 'active' ? (
                  <div class="group">
                    <ActionButton
                      path={`${path}/${key_id}/rotate`}
                      label="Rotate"
                      about={key_id}
                      fields={{
                        once: sealFormSecret(app, page, `rotate ${key_id}`, {
                          keyId: key_id,
                          secret: newCredentialSecret(environment),
                        }),
                      }}
                      confirm="Give this credential a new secret? The current one works for another day."
                    />
                    <ActionButton
                      path={`${path}/${key_id}/revoke`}
                      label="Revoke"
                      about={key_id}
                      kind="danger"
                      confirm="Revoke this credential? Requests signed with it are rejected immediately."
                    />
                  </div>
                ) : null,
            },
          ]}
          rows={await ownCredentials(page)}
          empty={
            <Empty title="No credentials yet">
              {mayMake ? 'Make one below.' : 'They come with live access.'}
            </Empty>
          }
        />
        {mayMake && (
          <>
            <h2>Make a credential</h2>
            <form method="post" action={path} class="panel roomy">
              <input
                type="hidden"
                name="once"
                value={sealFormSecret(app, page, 'credential', newKeyPair(environment))}
              />
              <fieldset>
                <legend>What it may do</legend>
                {SCOPES.map((scope) => (
                  <Check
                    name="scopes"
                    value={scope}
                    checked
                    label={
                      <>
                        <strong>{scope}</strong> <span class="soft">{WHAT[scope]}</span>
                      </>
                    }
                  />
                ))}
              </fieldset>
              <button type="submit">Make the credential</button>
            </form>
          </>
        )}
      </>,
    )
  }
}

/** The one page that shows a secret; sending its form again shows it again, for an hour. */
export function showSecret(
  portal: Portal,
  page: PortalContext,
  { key_id, secret }: NewCredential,
  title: string,
  note?: string,
): FastifyReply {
  return portal.show(
    page,
    { title, at: '/credentials' },
    <>
      <Heading title={title} />
      <Notice kind="warn">
        Copy the secret now: it is shown only once. {note ?? 'Anyone who has it can act for you.'}
      </Notice>
      <h2>Key id</h2>
      <Copyable id="key-id" text={key_id} />
      <h2>Secret</h2>
      <Copyable id="secret" text={secret} />
      <h2>For a shell</h2>
      <Copyable
        id="exports"
        text={`export SERVICE_URL=${portal.app.settings.baseUrl}\nexport SERVICE_KEY_ID=${key_id}\nexport SERVICE_SECRET=${secret}`}
      />
      <p class="actions">
        <a class="button" href="/docs/guides/first-sale">
          Your first sale
        </a>
        <a class="button quiet" href={`${page.base}/credentials`}>
          I have copied it
        </a>
      </p>
    </>,
  )
}

const WHAT: Record<Scope, string> = {
  search: 'find names, prices and availability',
  embed: 'make checkout links',
  buy: 'quotes, orders, refunds, settlements',
  broker: 'open and follow brokerage cases',
  refer: 'make tracked links',
  report: 'sales, commissions, payouts',
  webhook: 'the webhook endpoint and the event history',
}
