import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { ApiError, invalid } from '../../core/errors.ts'
import { cancelReplay } from '../../domain/events/cancel-replay.ts'
import { createReplay } from '../../domain/events/create-replay.ts'
import { HISTORY_EVENTS } from '../../domain/events/event-types.ts'
import { getWebhook } from '../../domain/events/get-webhook.ts'
import { listReplays } from '../../domain/events/list-replays.ts'
import { registerWebhook } from '../../domain/events/register-webhook.ts'
import type { ReplayView } from '../../domain/events/replay.ts'
import { sendTestEvent } from '../../domain/events/send-test-event.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { newSecret } from '../../lib/ids.ts'
import { ActionButton, Field, Select } from '../components/form.tsx'
import { stateText, toneOf } from '../components/humanize.ts'
import { Badge, Empty, Facts, Heading, Notice, Progress, Timestamp } from '../components/parts.tsx'
import { at } from './choices.ts'
import { issueWith, type Portal, type PortalContext } from './portal.tsx'

type Replay = z.output<typeof ReplayView>

/** Replays that the page shows. */
const SHOWN = 5
const REFRESH_SECONDS = 2

/** The endpoint that events are sent to, and sending them again. */
export function serveWebhook(portal: Portal): void {
  portal.get('/webhook', (page) => showWebhook(page))
  portal.post(
    '/webhook',
    async (page) => {
      const { form, base } = page
      await portal.perform(page, registerWebhook, {
        url: form.get('url')?.trim() ?? '',
        secret: form.get('secret')?.trim() ?? '',
      })
      return page.goOn(`${base}/webhook`, 'The endpoint is registered and on.')
    },
    (page, problem) => showWebhook(page, problem, page.form),
  )
  portal.post(
    '/webhook/test',
    async (page) => {
      await portal.perform(page, sendTestEvent, {})
      return page.goOn(`${page.base}/deliveries`, 'A test event is on its way.')
    },
    showWebhook,
  )
  portal.post(
    '/webhook/replays',
    async (page) => {
      const { form, base } = page
      const type = form.get('type') ?? ''
      await portal.perform(page, createReplay, {
        from: moment(form, 'from'),
        to: moment(form, 'to'),
        types: type === '' ? undefined : [type],
      })
      return page.goOn(`${base}/webhook#replays`, 'The replay has begun.')
    },
    (page, problem) => showWebhook(page, problem, page.form),
  )
  portal.post(
    '/webhook/replays/:id/cancel',
    async (page) => {
      await portal.perform(page, cancelReplay, { id: page.params.id })
      return page.goOn(`${page.base}/webhook#replays`, 'The replay is cancelled.')
    },
    showWebhook,
  )

  async function showWebhook(
    page: PortalContext,
    problem?: ApiError,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const { base } = page
    const path = `${base}/webhook`
    const endpoint = await portal.read(page, getWebhook, {}).catch(nothingYet)
    const { replays } = await portal.read(page, listReplays, { limit: SHOWN })
    const isRunning = replays.some((replay) => isUnderWay(replay, page.now))
    return portal.show(
      page,
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
                ['Registered', <Timestamp at={at(endpoint.created_at)} />],
                ['Changed', <Timestamp at={at(endpoint.updated_at)} />],
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
                <ReplayPanel replay={replay} path={path} now={page.now} />
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
          <Timestamp at={at(replay.from)} /> – <Timestamp at={at(replay.to)} />
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
  if (error instanceof ApiError && error.code === 'not_found') return null
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
