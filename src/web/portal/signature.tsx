import type { FastifyReply } from 'fastify'
import { type ApiError, invalid } from '../../core/errors.ts'
import { openSecret } from '../../domain/partners/credential.ts'
import { findRequest } from '../../domain/request-log/read-requests.ts'
import {
  type Comparison,
  compareStrings,
  describedRequest,
  judgeSignature,
  readSentHeaders,
  type Verdict,
} from '../../http/partner/compare-signature.ts'
import { canonicalString } from '../../lib/signature.ts'
import { Field, Select, TextArea } from '../components/form.tsx'
import { Copyable, Heading, Notice } from '../components/parts.tsx'
import { issueWith, type Portal, type PortalContext } from './portal.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

interface Result {
  ours: string
  comparison: Comparison | null
  verdict: Verdict | null
}

/** Finds the first line that differs between what a partner signed and what the service reads. */
export function serveSignature(portal: Portal): void {
  const { db, secrets } = portal.app

  portal.get('/signature', (page) => showDebugger(page))
  portal.post(
    '/signature',
    async (page) => await showDebugger(page, undefined, page.form, await explain(page, page.form)),
    (page, problem) => showDebugger(page, problem, page.form),
  )

  async function explain(page: PortalContext, form: URLSearchParams): Promise<Result> {
    const theirs = form.get('signed') ?? ''
    const logged = form.get('request') ?? ''
    if (logged !== '') {
      const { canonical_string } = await findRequest(db, page.partner, logged)
      const ours = canonical_string ?? ''
      return { ours, comparison: compareStrings(ours, theirs), verdict: null }
    }
    const sent = readSentHeaders(form.get('headers') ?? '')
    const method = METHODS.find((each) => each === form.get('method')) ?? 'GET'
    const [url, body] = [form.get('url') ?? '', form.get('body') ?? '']
    if (url.trim() === '') throw invalid({ field: 'url', issue: 'is required' })
    const request = describedRequest({ method, url, headers: '', body }, sent)
    const ours = canonicalString(request)
    const credential = sent.keyId === '' ? undefined : await findOwn(page, sent.keyId)
    if (sent.keyId !== '' && !credential) {
      throw invalid({
        field: 'headers',
        issue: `must name a credential of yours here, which ${sent.keyId} is not`,
      })
    }
    return {
      ours,
      comparison: theirs === '' ? null : compareStrings(ours, theirs),
      verdict:
        credential && sent.signature !== ''
          ? judgeSignature(
              { keyId: sent.keyId, secret: openSecret(secrets, credential) },
              request,
              sent.signature,
              theirs,
            )
          : null,
    }
  }

  async function findOwn({ partner }: PortalContext, keyId: string) {
    return await db
      .selectFrom('credentials')
      .selectAll()
      .where('key_id', '=', keyId)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
  }

  async function showDebugger(
    page: PortalContext,
    problem?: ApiError,
    form?: URLSearchParams,
    result?: Result,
  ): Promise<FastifyReply> {
    const { base, query } = page
    const logged = form?.get('request') || query.request
    const value = (field: string) => form?.get(field) ?? ''
    return portal.show(
      page,
      { title: 'Signature debugger', at: '/signature', problem },
      <>
        <Heading title="Signature debugger" />
        <p class="lead">
          Paste what you signed, and see the first line in which the service reads something else.
          Never paste your secret: nobody needs it here.
        </p>
        {result && <ResultPanel {...result} />}
        <form method="post" action={`${base}/signature`}>
          {logged ? (
            <>
              <input type="hidden" name="request" value={logged} />
              <p>
                Compared with <a href={`${base}/requests/${logged}`}>{logged}</a>.{' '}
                <a href={`${base}/signature`}>Describe another request</a>
              </p>
            </>
          ) : (
            <>
              <div class="pair">
                <Select
                  label="Method"
                  name="method"
                  value={value('method')}
                  options={METHODS.map((method) => [method, method])}
                />
                <Field
                  label="URL"
                  name="url"
                  value={value('url')}
                  problem={issueWith(problem, 'url')}
                  placeholder="/api/partner/v1/orders?limit=10"
                  required
                />
              </div>
              <TextArea
                label="The headers that you sent"
                name="headers"
                value={value('headers')}
                problem={issueWith(problem, 'headers')}
                hint="One per line. The key id and the signature are optional, but allow a more precise explanation."
                placeholder={
                  'X-Service-Key-Id: pk_…\nX-Service-Timestamp: 1795255440\nX-Service-Nonce: …\nX-Service-Signature: v1=…'
                }
                rows={4}
                code
              />
              <TextArea
                label="The body"
                name="body"
                value={value('body')}
                hint="As it was sent, to the last blank."
                rows={4}
                code
              />
            </>
          )}
          <TextArea
            label="The string that you signed"
            name="signed"
            value={value('signed')}
            hint="Have your code print it right before the HMAC: six lines."
            rows={6}
            code
          />
          <button type="submit">Compare</button>
        </form>
      </>,
    )
  }
}

function ResultPanel({ ours, comparison, verdict }: Result) {
  const first = comparison?.first
  const different = first && comparison.lines[first.line]
  return (
    <section aria-label="Result" class="panel roomy result">
      {verdict && <VerdictNotice verdict={verdict} />}
      {comparison &&
        (different ? (
          <Notice kind="error">
            The first difference is in line {first.line + 1}, {different.name.toLowerCase()}, at
            character {first.column + 1}.
          </Notice>
        ) : (
          <Notice kind="good">Both strings are the same, to the last character.</Notice>
        ))}
      {comparison ? (
        <div class="lines">
          {comparison.lines.map((line, index) => (
            <div class={line.isSame ? undefined : index === first?.line ? 'first' : 'other'}>
              <h2>
                {line.name} {line.isSame ? '✓' : '✗'}
              </h2>
              <p>
                <small>The service reads</small>
                <Line text={line.ours} column={index === first?.line ? first.column : null} />
              </p>
              {!line.isSame && (
                <p>
                  <small>You signed</small>
                  <Line text={line.theirs} column={index === first?.line ? first.column : null} />
                </p>
              )}
            </div>
          ))}
        </div>
      ) : (
        <>
          <p class="soft">What the service would sign:</p>
          <Copyable id="canonical" text={ours} />
        </>
      )}
    </section>
  )
}

function Line({ text, column }: { text: string | null; column: number | null }) {
  if (text === null) return <em>no such line</em>
  if (text === '') return <em>an empty line</em>
  if (column === null) return <code>{text}</code>
  return (
    <code>
      {text.slice(0, column)}
      <mark>{text.slice(column) || '⏎'}</mark>
    </code>
  )
}

function VerdictNotice({ verdict }: { verdict: Verdict }) {
  if (verdict.kind === 'right') {
    return <Notice kind="good">The signature is right for this request.</Notice>
  }
  if (verdict.kind === 'other_string') {
    return (
      <Notice kind="warn">
        The secret is right: the signature is of the string that you pasted. The string is what is
        wrong.
      </Notice>
    )
  }
  return (
    <Notice kind="error">
      {verdict.cause ??
        "The signature is of neither string with this credential's secret: the secret is another, or what was signed is."}
    </Notice>
  )
}
