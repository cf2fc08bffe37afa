import { sql } from 'kysely'
import { z } from 'zod'
import { APP_SCOPES } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { issueMessages } from '../../core/issue-messages.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY, MINUTE, unixSeconds } from '../../lib/clock.ts'
import { newSecret } from '../../lib/ids.ts'
import { Recent } from '../../lib/recent.ts'
import { truncate } from '../../lib/truncate.ts'
import { fetchClientDocument, isDocumentId } from './client-document.ts'
import { OAuthError } from './oauth-error.ts'
import { redirectUriProblem } from './redirect-uri.ts'

export type OAuthClient = Schema['oauth_clients']

const MAX_REDIRECT_URIS = 20
const MAX_NAME = 100
/** Control characters, and those that make text run backwards or look like nothing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
const UNUSED_MS = 7 * DAY
const FORGOTTEN_MS = 90 * DAY
const FAILED_MS = MINUTE
const MAX_FAILED = 1_000

/** The metadata that we use, of a registration (RFC 7591) as of a client's own document. */
const Metadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().max(1_000).nullish(),
  grant_types: z.array(z.string()).max(20).nullish(),
  response_types: z.array(z.string()).max(20).nullish(),
})

/** Reads and checks client metadata; what we do not know is ignored, as RFC 7591 (2) says. */
function readMetadata(given: unknown): { name: string; redirectUris: string[] } {
  const result = Metadata.safeParse(given, { reportInput: true, error: issueMessages })
  if (!result.success) {
    const { path = [], message, input } = result.error.issues[0] ?? {}
    throw new OAuthError(
      path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `${path.join('.') || 'The body'}: ${input === undefined ? 'is required' : message}.`,
    )
  }
  const { redirect_uris, client_name, grant_types, response_types } = result.data
  for (const uri of redirect_uris) {
    const problem = redirectUriProblem(uri)
    if (problem !== null) throw new OAuthError('invalid_redirect_uri', `redirect_uris: ${problem}.`)
  }
  if (grant_types && !grant_types.includes('authorization_code')) {
    throw new OAuthError('invalid_client_metadata', 'grant_types: must hold authorization_code.')
  }
  if (response_types && !response_types.includes('code')) {
    throw new OAuthError('invalid_client_metadata', 'response_types: must hold code.')
  }
  const name = truncate((client_name ?? '').replace(HIDDEN, '').trim(), MAX_NAME)
  return { name, redirectUris: [...new Set(redirect_uris)] }
}

/** Registers a public client, and responds with what it was registered with (RFC 7591, 3.2.1). */
export const registerClient = pageWrite({
  name: 'register_client',
  input: z.object({ metadata: z.unknown() }),
  output: z.object({
    client_id: z.string(),
    client_id_issued_at: z.int(),
    client_name: z.string().optional(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
    scope: z.string(),
  }),
  async handler({ tx, now }, { metadata }) {
    const { name, redirectUris } = readMetadata(metadata)
    const client_id = newSecret().slice(0, 32)
    await tx
      .insertInto('oauth_clients')
      .values({
        client_id,
        kind: 'registered',
        name: name || 'An unnamed app',
        redirect_uris: redirectUris,
        created_at: now,
        last_used_at: now,
        fresh_until: null,
      })
      .execute()
    return {
      client_id,
      client_id_issued_at: unixSeconds(now),
      ...(name && { client_name: name }),
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none' as const,
      scope: APP_SCOPES.join(' '),
    }
  },
})

export async function findClient(
  db: Pick<Tx, 'selectFrom'>,
  clientId: string,
): Promise<OAuthClient | undefined> {
  return await db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

type FetchContext = Pick<AppContext, 'db' | 'clock' | 'http' | 'settings' | 'log'>

/** Makes the row of a client, if the caller is within the limits. */
export type MakeClient = <T>(make: () => Promise<T>, wasMade: (made: T) => boolean) => Promise<T>

/** By the address: documents that are being fetched, and failures. */
const fetchesOf = perDatabase(() => ({
  underWay: new Map<string, Promise<OAuthClient>>(),
  failed: new Recent<OAuthError>(MAX_FAILED),
}))

/**
 * The client that asks for consent: registered here, or known by the document at its address. A document that cannot be
 * used is not fetched again within a minute.
 */
export async function findOrFetchClient(
  app: FetchContext,
  clientId: string,
  makeClient: MakeClient,
): Promise<OAuthClient | undefined> {
  const known = await findClient(app.db, clientId)
  const now = app.clock.now()
  if (!isDocumentId(clientId)) return known
  if (known?.fresh_until && known.fresh_until > now) return known
  const { underWay, failed } = fetchesOf(app.db)
  const failure = failed.get(clientId, now)
  if (failure) throw failure
  if (known) return await fetchOnce(app, clientId)
  const { client } = await makeClient(
    async () => {
      const isFirst = !underWay.has(clientId)
      return { isFirst, client: await fetchOnce(app, clientId) }
    },
    ({ isFirst }) => isFirst,
  )
  return client
}

/** All who ask for a document while it is being fetched get the same. */
function fetchOnce(app: FetchContext, clientId: string): Promise<OAuthClient> {
  const { underWay, failed } = fetchesOf(app.db)
  const same = underWay.get(clientId)
  if (same) return same
  const fetched = fetchClient(app, clientId)
    .catch((error: unknown) => {
      if (error instanceof OAuthError) {
        failed.set(clientId, error, after(app.clock.now(), FAILED_MS))
      }
      throw error
    })
    .finally(() => underWay.delete(clientId))
  underWay.set(clientId, fetched)
  return fetched
}

async function fetchClient(app: FetchContext, clientId: string): Promise<OAuthClient> {
  const now = app.clock.now()
  const { document, freshMs } = await fetchClientDocument(app, clientId)
  const { name, redirectUris } = readMetadata(document)
  const row = {
    name: name || new URL(clientId).host,
    redirect_uris: redirectUris,
    last_used_at: now,
    fresh_until: after(now, freshMs),
  }
  return await app.db
    .insertInto('oauth_clients')
    .values({ client_id: clientId, kind: 'document', created_at: now, ...row })
    .onConflict((older) => older.column('client_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Forgets clients that nobody consented to within a week, or that nobody has used for three months. */
export async function purgeClients(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  const spent = sql`
    not exists (select 1 from oauth_grants g where g.client_id = oauth_clients.client_id)
    and (last_used_at < ${after(now, -FORGOTTEN_MS)}
      or last_used_at = created_at and created_at < ${after(now, -UNUSED_MS)})`
  await purge(db, 'oauth_clients', spent, signal)
}
