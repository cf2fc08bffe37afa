import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { newSecret } from '../../lib/ids.ts'
import { cancelReplay } from '../../modules/events/cancel-replay.ts'
import { createReplay } from '../../modules/events/create-replay.ts'
import { getWebhook } from '../../modules/events/get-webhook.ts'
import { listReplays } from '../../modules/events/list-replays.ts'
import { registerWebhook } from '../../modules/events/register-webhook.ts'
import type { ReplayView } from '../../modules/events/replay.ts'
import { sendTestEvent } from '../../modules/events/send-test-event.ts'
import { HISTORY_EVENTS } from '../../modules/events/tables.ts'
import { ActionButton, Field, Select } from '../pages/form.tsx'
import { Badge, Empty, Facts, Heading, Moment, Notice, Progress } from '../pages/parts.tsx'
import { stateText, toneOf } from '../pages/spoken.ts'
import { issueWith, type Portal, type PortalVisit } from './portal.tsx'
import { at } from './words.ts'

type Replay = z.output<typeof ReplayView>

/** Replays that the page shows. */
const SHOWN = 5
const REFRESH_SECONDS = 2

/** The endpoint that events are sent to, and sending them again. */
export function serveWebhook(portal: Portal): void {
  portal.get('/webhook', (visit) => showWebhook(visit))
  portal.post(
    '/webhook',
    async (visit) => {
      const { form, base } = visit
      await portal.perform(visit, registerWebhook, {
        url: form.get('url')?.trim() ?? '',
        secret: form.get('secret')?.trim() ?? '',
      })
      return visit.goOn(`${base}/webhook`, 'The endpoint is registered and on.')
    },
    (visit, problem) => showWebhook(visit, problem, visit.form),
  )
  portal.post(
    '/webhook/test',
    async (visit) => {
      await portal.perform(visit, sendTestEvent, {})
      return visit.goOn(`${visit.base}/deliveries`, 'A test event is on its way.')
    },
    showWebhook,
  )
  portal.post(
    '/webhook/replays',
    async (visit) => {
      const { form, base } = visit
      const type = form.get('type') ?? ''
      await portal.perform(visit, createReplay, {
        from: moment(form, 'from'),
        to: moment(form, 'to'),
        types: type === '' ? undefined : [type],
      })
      return visit.goOn(`${base}/webhook#replays`, 'The replay has begun.')
    },
    (visit, problem) => showWebhook(visit, problem, visit.form),
  )
  portal.post(
    '/webhook/replays/:id/cancel',
    async (visit) => {
      await portal.perform(visit, cancelReplay, { id: visit.params.id })
      return visit.goOn(`${visit.base}/webhook#replays`, 'The replay is cancelled.')
    },
    showWebhook,
  )

  async function showWebhook(
    visit: PortalVisit,
    problem?: Refusal,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const { base } = visit
    const path = `${base}/webhook`
    const endpoint = await portal.read(visit, getWebhook, {}).catch(nothingYet)
    const { replays } = await portal.read(visit, listReplays, { limit: SHOWN })
    const isRunning = replays.some((replay) => isUnderWay(replay, visit.now))
    return portal.show(
      visit,
      { title: 'Webhook', at: '/webhook', problem },
      <>
        <Heading title="Webhook">
          {endpoint && (
            <>
              <Badge
                tone={endpoint.active ? 'good' : 'bad'}
                text={endpoint.active ? 'on' : 'off'}
              />
              <ActionButton path={`${path}/test`} label="Send a test event" />
            </>
          )}
        </Heading>
        {endpoint ? (
          <section class="panel roomy">
            <Facts
              facts={[
                ['Address', <code>{endpoint.url}</code>],
                ['Registered', <Moment at={at(endpoint.created_at)} />],
                ['Changed', <Moment at={at(endpoint.updated_at)} />],
              ]}
            />
            {endpoint.inactive_reason !== null && (
              <Notice kind="error">
                Switched off: {endpoint.inactive_reason}. Register it again to switch it on; what it
                missed can be replayed below.
              </Notice>
            )}
          </section>
        ) : (
          <p class="lead">
            Tell us where to send events, and they come within a second, signed, with retries over
            three days.
          </p>
        )}
        <details
          open={
            !endpoint ||
            issueWith(problem, 'url') !== undefined ||
            issueWith(problem, 'secret') !== undefined
          }
        >
          <summary>
            {endpoint ? 'Change the address or the secret' : 'Register an endpoint'}
          </summary>
          <form method="post" action={path}>
            <Field
              label="Address"
              name="url"
              type="url"
              value={form?.get('url') ?? endpoint?.url ?? ''}
              problem={issueWith(problem, 'url')}
              placeholder="https://"
              required
            />
            <Field
              label="Signing secret"
              name="secret"
              value={form?.get('secret') ?? newSecret()}
              hint="16 to 128 characters. This one was just made up: keep a copy, it is not shown again. From the moment you register it, deliveries are signed with it."
              problem={issueWith(problem, 'secret')}
              autocomplete="off"
              required
            />
            <button type="submit">{endpoint ? 'Change it' : 'Register it'}</button>
          </form>
        </details>
        {endpoint && (
          <>
            <h2 id="replays">Replay</h2>
            <p class="soft">
              Sends the events of a span of time again, oldest first, behind whatever is new. Times
              are UTC.
            </p>
            <form method="post" action={`${path}/replays`} class="filters">
              <Field
                label="From"
                name="from"
                type="datetime-local"
                value={form?.get('from') ?? ''}
                problem={issueWith(problem, 'from')}
                required
              />
              <Field
                label="Until (empty: now)"
                name="to"
                type="datetime-local"
                value={form?.get('to') ?? ''}
                problem={issueWith(problem, 'to')}
              />
              <Select
                label="Events"
                name="type"
                value={form?.get('type') ?? ''}
                options={[
                  ['', 'All'],
                  ...HISTORY_EVENTS.map((type): [string, string] => [type, type]),
                ]}
              />
              <button type="submit" class="quiet">
                Replay
              </button>
            </form>
            <div id="replay-list" data-refresh={isRunning ? REFRESH_SECONDS : undefined}>
              {replays.length === 0 && (
                <div class="panel">
                  <Empty title="No replay yet">
                    Good after a downtime: your receiver sees event ids that it knows, and skips
                    them.
                  </Empty>
                </div>
              )}
              {replays.map((replay) => (
                <ReplayPanel replay={replay} path={path} now={visit.now} />
              ))}
            </div>
          </>
        )}
      </>,
    )
  }
}

/** Also while what it queued last is still being delivered; a receiver that fails is not watched for days. */
function isUnderWay(replay: Replay, now: Date): boolean {
  const { status, queued_count, delivered_count, failed_count } = replay
  const isYoung = new Date(replay.created_at) > after(now, -HOUR)
  return status === 'running' || (isYoung && delivered_count + failed_count < queued_count)
}

function ReplayPanel({ replay, path, now }: { replay: Replay; path: string; now: Date }) {
  const { delivered_count, failed_count, event_count } = replay
  const status = replay.status === 'done' && isUnderWay(replay, now) ? 'running' : replay.status
  return (
    <section class="panel roomy replay">
      <div class="heading">
        <h3>
          <Moment at={at(replay.from)} /> – <Moment at={at(replay.to)} />
        </h3>
        <Badge tone={toneOf(status)} text={status} />
        {replay.status === 'running' && (
          <ActionButton path={`${path}/replays/${replay.id}/cancel`} label="Cancel" />
        )}
      </div>
      <Progress label="Delivered" done={delivered_count} total={event_count} />
      <p class="soft">
        {replay.types === null ? 'Events of all types' : replay.types.map(stateText).join(', ')}
        {failed_count > 0 && `; ${failed_count.toLocaleString('en-US')} failed for good`}
      </p>
    </section>
  )
}

function nothingYet(error: unknown): null {
  if (error instanceof Refusal && error.code === 'not_found') return null
  throw error
}

/** What a browser sends of a local time, as the UTC that the page asked for. */
function moment(form: URLSearchParams, field: 'from' | 'to'): string {
  const text = form.get(field)?.trim() ?? ''
  if (text === '') return ''
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?$/.exec(text)
  if (!parts) throw invalid({ field, issue: 'must be a time such as 2026-11-21 10:04' })
  return `${parts[1]}T${parts[2] ?? '00:00'}${parts[3] ?? ':00'}Z`
}
