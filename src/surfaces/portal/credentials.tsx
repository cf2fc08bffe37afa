import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { conflict, invalid, type Refusal } from '../../kernel/errors.ts'
import { SCOPES, type Scope } from '../../kernel/operation.ts'
import { insertCredential } from '../../modules/partners/create-credential.ts'
import {
  type NewCredentialView,
  newCredentialSecret,
  newKeyPair,
  ownCredential,
} from '../../modules/partners/credential.ts'
import { listCredentials } from '../../modules/partners/list-credentials.ts'
import { revokeCredential } from '../../modules/partners/revoke-credential.ts'
import { rotateSecret } from '../../modules/partners/rotate-credential.ts'
import { ActionButton, Check } from '../pages/form.tsx'
import { Table } from '../pages/list.tsx'
import { Badge, Copyable, Day, Empty, Heading, Moment, Notice } from '../pages/parts.tsx'
import { toneOf } from '../pages/spoken.ts'
import { newOnce, readOnce } from './once.ts'
import type { Portal, PortalPost, PortalVisit } from './portal.tsx'
import { at } from './words.ts'

type NewCredential = z.output<typeof NewCredentialView>

/** Beyond these one should revoke some. */
const MAX_ACTIVE = 20

/** What the partner signs with: made, rotated and revoked. */
export function serveCredentials(portal: Portal): void {
  const { house } = portal
  portal.get('/credentials', (visit) => showCredentials(visit))

  portal.post(
    '/credentials',
    async (visit) => {
      const { form, partner, environment, account, now } = visit
      const scopes = SCOPES.filter((scope) => form.getAll('scopes').includes(scope))
      if (scopes.length === 0) throw invalid({ field: 'scopes', issue: 'must be one at least' })
      if (environment === 'live' && account.live_approved_at === null) {
        throw conflict('A live credential needs live access: ask for it first.')
      }
      const pair = readOnce(house, visit, 'credential')
      const active = (await ownCredentials(visit)).filter(({ status }) => status === 'active')
      if (active.length >= MAX_ACTIVE && !active.some(({ key_id }) => key_id === pair.keyId)) {
        throw conflict(`There are ${MAX_ACTIVE} active credentials. Revoke one first.`)
      }
      const made = await portal.write(now, (context) =>
        insertCredential(context, partner.partnerId, environment, scopes, pair),
      )
      return showSecret(portal, visit, made, 'Your new credential')
    },
    showCredentials,
  )

  portal.post(
    '/credentials/:keyId/rotate',
    async (visit) => {
      const { keyId } = visit.params
      const { secret } = readOnce(house, visit, `rotate ${keyId}`)
      const made = await portal.write(visit.now, async (context) => {
        await mustOwn(context.tx, visit)
        return await rotateSecret(context, keyId ?? '', secret)
      })
      return showSecret(
        portal,
        visit,
        made,
        'Your new secret',
        'The one before works for another day, so that your servers can change over.',
      )
    },
    showCredentials,
  )

  portal.post(
    '/credentials/:keyId/revoke',
    async (visit) => {
      const key_id = visit.params.keyId ?? ''
      await portal.write(visit.now, async (context) => {
        await mustOwn(context.tx, visit)
        const { id, email } = visit.session.user
        const actor = { userId: id, name: email }
        return await revokeCredential.handler(
          { ...context, actor, prepared: undefined },
          { key_id },
        )
      })
      return visit.goOn(`${visit.base}/credentials`, `${key_id} is revoked.`)
    },
    showCredentials,
  )

  async function mustOwn(
    tx: Parameters<typeof ownCredential>[0],
    { partner, params }: PortalPost,
  ): Promise<void> {
    await ownCredential(tx, partner.partnerId, params.keyId ?? '')
  }

  async function ownCredentials({ partner, now, environment }: PortalVisit) {
    const input = { partner_id: partner.partnerId }
    const { credentials } = await listCredentials.handler({ db: house.db, now, house }, input)
    return credentials.filter((each) => each.environment === environment)
  }

  async function showCredentials(visit: PortalVisit, problem?: Refusal): Promise<FastifyReply> {
    const { base, environment, account } = visit
    const path = `${base}/credentials`
    const mayMake = environment === 'sandbox' || account.live_approved_at !== null
    return portal.show(
      visit,
      { title: 'Credentials', at: '/credentials', problem, status: problem?.status ?? 200 },
      <>
        <Heading title="Credentials" />
        <Table
          caption="Credentials, newest first"
          columns={[
            { label: 'Key id', cell: ({ key_id }) => <code>{key_id}</code> },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={status} />,
            },
            { label: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
            {
              label: 'Last used',
              cell: ({ last_used_at }) => <Moment at={at(last_used_at)} none="never" />,
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
                        once: newOnce(house, visit, `rotate ${key_id}`, {
                          keyId: key_id,
                          secret: newCredentialSecret(environment),
                        }),
                      }}
                      confirm="Give this credential a new secret? The present one works for another day."
                    />
                    <ActionButton
                      path={`${path}/${key_id}/revoke`}
                      label="Revoke"
                      about={key_id}
                      kind="danger"
                      confirm="Revoke this credential? What signs with it is refused at once."
                    />
                  </div>
                ) : null,
            },
          ]}
          rows={await ownCredentials(visit)}
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
                value={newOnce(house, visit, 'credential', newKeyPair(environment))}
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
  visit: PortalVisit,
  { key_id, secret }: NewCredential,
  title: string,
  note?: string,
): FastifyReply {
  return portal.show(
    visit,
    { title, at: '/credentials' },
    <>
      <Heading title={title} />
      <Notice kind="warn">
        Copy the secret now: it is shown this once. {note ?? 'Whoever has it can act for you.'}
      </Notice>
      <h2>Key id</h2>
      <Copyable id="key-id" text={key_id} />
      <h2>Secret</h2>
      <Copyable id="secret" text={secret} />
      <h2>For a shell</h2>
      <Copyable
        id="exports"
        text={`export SERVICE_URL=${portal.house.settings.baseUrl}\nexport SERVICE_KEY_ID=${key_id}\nexport SERVICE_SECRET=${secret}`}
      />
      <p class="actions">
        <a class="button" href="/docs/guides/first-sale">
          Your first sale
        </a>
        <a class="button quiet" href={`${visit.base}/credentials`}>
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
