import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { type IdempotentRequest, storedBody } from '../../core/idempotency.ts'
import type { UserRead, UserWrite } from '../../core/operation.ts'
import { openStored } from '../../core/write.ts'
import { listSellerDomains, SELLER_CSV_COLUMNS } from '../../domain/domains/list-seller-domains.ts'
import { MAX_CSV_LENGTH, sellDomains } from '../../domain/domains/sell-domains.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { stringify } from '../../lib/csv.ts'
import { sha256 } from '../../lib/signature.ts'
import { sendCsv, sendCsvList } from '../components/csv.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import type { PageContext, signedInPages } from '../layout/page-context.ts'
import { readUpload, wholeText } from '../layout/upload.ts'
import { sendAccountPage } from './account-page.tsx'
import { SELL } from './paths.ts'
import { Sell, SellOutcome } from './sell.tsx'

/** With room for the form around the file. */
const MAX_FILE_BYTES = MAX_CSV_LENGTH + 64 * 1024
/** Of one read of a list that is downloaded. */
const PAGE = 5_000

/** A seller's whole list: sent as a file, taken away as a file, and what became of each row. */
export function serveSell(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
): void {
  const { db } = app

  pages.get(SELL, async (page) => showForm(page))

  pages.upload(SELL, SELL, MAX_FILE_BYTES, async (page) => {
    const upload = await readUpload(page.request).catch(rejected)
    if (upload instanceof ApiError) return showForm(page, upload)
    try {
      const csv = await wholeText(upload.content, MAX_CSV_LENGTH)
      const key = /^[\w-]{8,64}$/.test(upload.fields.key ?? '') ? upload.fields.key : undefined
      const idempotency = { ...requestOf(page, key ?? randomUUID()), fingerprint: sha256(csv) }
      await run(page, sellDomains, { csv }, idempotency)
      return page.goOn(`${SELL}/${idempotency.key}`)
    } catch (error) {
      return showForm(page, rejected(error))
    } finally {
      upload.drain()
    }
  })

  pages.get(`${SELL}/domains.csv`, async (page) => {
    const read = async (after: string) => {
      const { domains } = await run(page, listSellerDomains, { after, limit: PAGE })
      const last = domains.length < PAGE ? undefined : domains.at(-1)
      return { rows: domains, next_cursor: last?.domain ?? null }
    }
    return sendCsvList(page.reply, 'domains', SELLER_CSV_COLUMNS, (after) => read(after ?? ''))
  })

  pages.get(`${SELL}/:key`, async (page) => {
    const sold = await outcomeOf(page)
    const path = `${SELL}/${page.params.key}`
    return sendAccountPage(
      page,
      { title: 'What your file has done', at: SELL },
      <SellOutcome sold={sold} path={path} />,
    )
  })

  pages.get(`${SELL}/:key/rejected.csv`, async (page) => {
    const { rejected } = await outcomeOf(page)
    return sendCsv(
      page.reply,
      'rejected-domains',
      stringify(['line', 'field', 'issue', 'row'], rejected),
    )
  })

  async function outcomeOf(page: PageContext): Promise<z.output<typeof sellDomains.output>> {
    const body = await storedBody(db, requestOf(page, page.params.key ?? ''))
    if (body === null) throw notFound('upload')
    return JSON.parse(openStored(app, body))
  }

  function showForm(page: PageContext, problem?: ApiError): FastifyReply {
    return sendAccountPage(
      page,
      {
        title: 'Sell your domains from a file',
        at: SELL,
        status: problem?.status ?? 200,
        notice: problem ? <Notice kind="error">{errorText(problem)}</Notice> : null,
      },
      <Sell formKey={randomUUID()} />,
    )
  }

  async function run<I extends z.ZodObject, O extends z.ZodType>(
    { session, now, request }: PageContext,
    operation: UserRead<I, O> | UserWrite<I, O>,
    input: object,
    idempotency: IdempotentRequest | null = null,
  ): Promise<z.output<O>> {
    const { value } = await web.execute(operation, {
      caller: { kind: 'user', subject: session.user.id, via: 'session' },
      now,
      requestId: request.id,
      idempotency: () => idempotency,
      input: () => parseInput(operation, input),
    })
    return value
  }
}

/** What a user is told; anything else is none of theirs. */
function rejected(error: unknown): ApiError {
  if (error instanceof ApiError && error.status < 500) return error
  throw error
}

function requestOf({ session }: PageContext, key: string) {
  return { subject: `page:${session.user.id}`, method: 'POST', path: SELL, key }
}
