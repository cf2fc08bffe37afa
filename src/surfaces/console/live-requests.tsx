import { listLiveRequests } from '../../modules/partners/list-live-requests.ts'
import { LIVE_REQUEST_STATUSES } from '../../modules/partners/tables.ts'
import { TextArea } from '../pages/form.tsx'
import { Pager } from '../pages/list.tsx'
import { Empty, Heading, Tabs } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import { At, Form, refusedForm, Status } from './parts.tsx'

const PATH = '/operator/live-requests'

type LiveRequest = Awaited<ReturnType<typeof listLiveRequests.handler>>['live_requests'][number]

/** Partners that ask to sell for real. */
export function liveRequestPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { cursor } = look.query
    const status = LIVE_REQUEST_STATUSES.find((each) => each === look.query.status) ?? 'pending'
    const { live_requests, next_cursor } = await look.read(listLiveRequests, { status, cursor })
    return {
      title: 'Live access',
      at: PATH,
      body: (
        <>
          <Heading title="Live access" />
          <Tabs
            label="Requests"
            at={look.href(PATH, { status })}
            tabs={LIVE_REQUEST_STATUSES.map((each): [string, string] => [
              look.href(PATH, { status: each }),
              { pending: 'Waiting', approved: 'Approved', declined: 'Declined' }[each],
            ])}
          />
          {live_requests.length === 0 && (
            <div class="panel">
              <Empty title={status === 'pending' ? 'Nobody is waiting' : 'None'}>
                Partners ask for live access in their portal.
              </Empty>
            </div>
          )}
          {live_requests.map((request) => (
            <Request look={look} request={request} />
          ))}
          <Pager path={PATH} query={look.query} next={next_cursor} />
        </>
      ),
    }
  })
}

function Request({ look, request }: { look: Look; request: LiveRequest }) {
  const { id, partner_id, partner_name, website, use_case, reason } = request
  return (
    <article class="panel roomy apart">
      <h2>
        <a href={look.href(`/operator/partners/${partner_id}`)}>{partner_name}</a>{' '}
        <Status text={request.status} />
      </h2>
      <p class="soft">
        asked <At at={request.created_at} /> by {request.requested_by}
        {website !== null && (
          <>
            {' · '}
            <a href={website} rel="noreferrer nofollow">
              {website}
            </a>
          </>
        )}
      </p>
      <p class="said">{use_case}</p>
      {request.status === 'pending' ? (
        <Decide look={look} id={id} />
      ) : (
        <p class="soft">
          decided <At at={request.decided_at} />
          {reason !== null && `: ${reason}`}
        </p>
      )}
    </article>
  )
}

function Decide({ look, id }: { look: Look; id: string }) {
  const written = refusedForm(look, 'decline_live')
  const isMine = look.refused?.form.get('id') === id
  return (
    <div class="columns">
      <Form does="approve_live" fields={{ id }} confirm="Approve this partner for real sales?">
        <TextArea label="A word to the partner" name="reason" maxlength={1000} rows={2} />
        <button type="submit" class="main">
          Approve for live
        </button>
      </Form>
      <Form does="decline_live" fields={{ id }}>
        <TextArea
          label="Why not"
          name="reason"
          maxlength={1000}
          rows={2}
          required
          value={isMine ? written.value('reason') : ''}
          problem={isMine ? written.problem('reason') : undefined}
        />
        <button type="submit" class="danger">
          Decline
        </button>
      </Form>
    </div>
  )
}
