import { READERS } from '../../core/roles.ts'
import { approveLive } from '../../domain/partners/approve-live.ts'
import { declineLive } from '../../domain/partners/decline-live.ts'
import { listLiveRequests } from '../../domain/partners/list-live-requests.ts'
import { LIVE_REQUEST_STATUSES } from '../../domain/partners/partner-status.ts'
import { Pager } from '../components/list.tsx'
import { Age, At, Empty, Heading, Status, Tabs } from '../components/parts.tsx'
import { action, type ConsoleContext, type ConsolePage } from './page.ts'
import { Form } from './parts.tsx'

const PATH = '/operator/live-requests'

type LiveRequest = Awaited<ReturnType<typeof listLiveRequests.handler>>['live_requests'][number]

/** Partners that ask to sell for real. */
export const liveRequests: ConsolePage = {
  path: PATH,
  roles: READERS,
  title: 'Live access',
  waiting: (counts) => counts.live_requests,
  actions: [
    action({
      operation: approveLive,
      done: () => 'Live access approved. The partner has been notified.',
    }),
    action({
      operation: declineLive,
      done: () => 'Live access declined. The partner has been notified.',
    }),
  ],
  async render(page) {
    const { cursor } = page.query
    const status = LIVE_REQUEST_STATUSES.find((each) => each === page.query.status) ?? 'pending'
    const { live_requests, next_cursor } = await page.read(listLiveRequests, { status, cursor })
    const inStatus = (each: string) => page.href(PATH, { status: each })
    return {
      title: 'Live access',
      body: (
        <>
          <Heading title="Live access" />
          <Tabs
            label="Requests"
            at={inStatus(status)}
            tabs={[
              [inStatus('pending'), 'Pending'],
              [inStatus('approved'), 'Approved'],
              [inStatus('declined'), 'Declined'],
            ]}
          />
          {live_requests.length === 0 && (
            <div class="panel">
              <Empty title={`No ${status} requests`}>
                Partners ask for live access in their portal.
              </Empty>
            </div>
          )}
          {live_requests.map((request) => (
            <Request page={page} request={request} />
          ))}
          <Pager path={PATH} query={page.query} next={next_cursor} />
        </>
      ),
    }
  },
}

function Request({ page, request }: { page: ConsoleContext; request: LiveRequest }) {
  const { id, partner_id, partner_name, website, use_case, reason } = request
  return (
    <article class="panel roomy apart">
      <h2>
        <a href={page.href(`/operator/partners/${partner_id}`)}>{partner_name}</a>{' '}
        <Status text={request.status} />
      </h2>
      <p class="soft">
        requested <Age at={request.created_at} now={page.now} /> ago by {request.requested_by}
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
        <Decide page={page} id={id} />
      ) : (
        <p class="soft">
          decided <At at={request.decided_at} />
          {reason !== null && `: ${reason}`}
        </p>
      )}
    </article>
  )
}

function Decide({ page, id }: { page: ConsoleContext; id: string }) {
  return (
    <div class="columns">
      <Form
        page={page}
        does={approveLive}
        given={{ id }}
        fields={{ reason: 'Message to the partner' }}
        submit="Approve for live"
        kind="main"
        confirm="Approve this partner for real sales?"
      />
      <Form
        page={page}
        does={declineLive}
        given={{ id }}
        fields={{ reason: 'Reason' }}
        submit="Decline"
        kind="danger"
      />
    </div>
  )
}
