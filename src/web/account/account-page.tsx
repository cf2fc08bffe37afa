import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { Heading, Notice } from '../components/parts.tsx'
import { type Section, sendPage } from '../layout/frame.tsx'
import type { PageContext } from '../layout/page-context.ts'
import { CLAIMS } from './claims.tsx'
import { AskToConfirm } from './confirm-email.tsx'
import { SignOut } from './forms.tsx'
import { OFFERS, PAYEE, PURCHASES, SALES, SECURITY, SELL } from './paths.ts'
import { PAYMENT_METHOD } from './payment-method.tsx'
import { SECOND_FACTOR } from './second-factor.tsx'

export const ACCOUNT = '/account'

/** The account's navigation, with how many offers wait for its user. */
const groupsOf = (offersWaiting: number): Section['groups'] => [
  {
    label: 'Yours',
    links: [
      { path: ACCOUNT, label: 'Domains' },
      { path: CLAIMS, label: 'Add domains' },
      { path: SELL, label: 'Sell from a file' },
      { path: PURCHASES, label: 'Purchases' },
      { path: SALES, label: 'Sales' },
      { path: '/account/renewals', label: 'Renewals' },
      {
        path: OFFERS,
        label: 'Offers',
        ...(offersWaiting > 0 && { count: String(offersWaiting) }),
      },
    ],
  },
  {
    label: 'Account',
    links: [
      { path: PAYMENT_METHOD, label: 'Payment and payouts' },
      { path: '/account/access', label: 'Apps and tokens' },
      { path: SECURITY, label: 'Address and password' },
      { path: SECOND_FACTOR, label: 'Second factor' },
      { path: PAYEE, label: 'Where you are paid' },
    ],
  },
]

/** One of the account's own pages; each is for its owner alone. */
export function sendAccountPage(
  { reply, session, note, offersWaiting }: PageContext,
  {
    title,
    at,
    status = 200,
    notice,
    formTargets = [],
    scripts = [],
  }: {
    title: string
    /** The path in the navigation that it belongs to. */
    at: string
    status?: number
    notice?: VNode | null
    formTargets?: string[]
    scripts?: string[]
  },
  body: VNode,
): FastifyReply {
  const { user } = session
  return sendPage(
    reply,
    {
      title,
      status,
      formTargets,
      viewer: user,
      section: { name: 'Account', at, groups: groupsOf(offersWaiting) },
      hidden: true,
      scripts: ['page', 'select', ...scripts],
    },
    <>
      <Heading title={title}>
        <SignOut />
      </Heading>
      {note !== null && <Notice kind="good">{note}</Notice>}
      {notice}
      {user.email_confirmed_at === null && <AskToConfirm email={user.email} back={at} />}
      {body}
    </>,
  )
}
