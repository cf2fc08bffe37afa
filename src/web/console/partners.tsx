import { createPartner } from '../../domain/partners/create-partner.ts'
import { listPartners } from '../../domain/partners/list-partners.ts'
import { link, text, time } from '../components/columns.tsx'
import { listPage } from './list-page.tsx'
import { action } from './page.ts'
import { PartnerStatus, partnerPage } from './partner-page.tsx'
import { Form } from './parts.tsx'

/** Partner accounts. */
export const partners = listPage({
  path: '/operator/partners',
  title: 'Partners',
  actions: [
    action({
      operation: createPartner,
      done: ({ name }) => `Partner account created for ${name}.`,
      to: ({ partner_id }) => `/operator/partners/${partner_id}`,
    }),
  ],
  operation: listPartners,
  rows: 'partners',
  filters: {
    q: 'Name or e-mail',
    status: 'Status',
    live: { label: 'Access', choices: { true: 'live', false: 'sandbox only' } },
  },
  empty: ['No partners yet', 'Partners sign up at /partner, or you create their accounts here.'],
  columns: (page) => [
    link(
      'Name',
      ({ partner_id }) => page.href(`/operator/partners/${partner_id}`),
      ({ name }) => name,
    ),
    text('E-mail', 'email'),
    { label: 'Status', cell: (partner) => <PartnerStatus partner={partner} /> },
    {
      label: 'Commission',
      align: 'end',
      cell: ({ user_id, partner_collected_bps }) =>
        user_id === null ? `${partner_collected_bps / 100} %` : '–',
    },
    time('Created', 'created_at'),
  ],
  footer: (page) => (
    <Form
      page={page}
      does={createPartner}
      collapsed="Create a partner account"
      fields={{ name: 'Name', email: 'E-mail', affiliate: 'With an affiliate account' }}
      submit="Create account"
    />
  ),
  below: [partnerPage],
})
