import type { FastifyReply } from 'fastify'
import type { Refusal } from '../../kernel/errors.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { createLink } from '../../modules/referrals/create-link.ts'
import { listLinks } from '../../modules/referrals/list-links.ts'
import { LINK_TYPES } from '../../modules/referrals/referral-link.ts'
import { Field, Once, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { amount } from '../pages/money.ts'
import { Day, Empty, Heading, Notice } from '../pages/parts.tsx'
import { stateText } from '../pages/spoken.ts'
import { issueWith, type Portal, type PortalVisit } from './portal.tsx'
import { at, choices } from './words.ts'

const FIELDS = ['type', 'domain', 'product', 'destination_url', 'label'] as const

/** Links that tell whose visitors bought. */
export function serveLinks(portal: Portal): void {
  portal.get('/links', (visit) => showLinks(visit))
  portal.post(
    '/links',
    async (visit) => {
      const given = FIELDS.map((field) => [field, visit.form.get(field)?.trim() ?? ''])
      const { url } = await portal.perform(visit, createLink, Object.fromEntries(given))
      return visit.goOn(`${visit.base}/links`, `The link is ${url}`)
    },
    (visit, problem) => showLinks(visit, problem, visit.form),
  )

  async function showLinks(
    visit: PortalVisit,
    refused?: Refusal,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const { query, base, account } = visit
    const path = `${base}/links`
    const affiliate = await portal.house.db
      .selectFrom('affiliates')
      .select('id')
      .where('partner_id', '=', account.id)
      .executeTakeFirst()
    const [found, wrong] = affiliate
      ? await portal.list(() =>
          portal.read(visit, listLinks, {
            type: query.type,
            domain: query.domain,
            cursor: query.cursor,
            limit: 50,
          }),
        )
      : [null, undefined]
    const isFiltered = Boolean(query.type ?? query.domain)
    const value = (field: string) => form?.get(field) ?? ''
    return portal.show(
      visit,
      { title: 'Tracked links', at: '/links', problem: refused ?? wrong },
      <>
        <Heading title="Tracked links" />
        {affiliate ? (
          <details open={form !== undefined}>
            <summary>Make a link</summary>
            <form method="post" action={path}>
              <Once />
              <Select
                label="Leads to"
                name="type"
                value={value('type')}
                options={LINK_TYPES.map((type) => [type, WHERE[type]])}
              />
              <Field
                label="Domain"
                name="domain"
                value={value('domain')}
                hint="For the page of one name."
                problem={issueWith(refused, 'domain')}
              />
              <Field
                label="Product"
                name="product"
                value={value('product')}
                hint="For a product of yours: its name, in your own words."
                problem={issueWith(refused, 'product')}
                maxlength={100}
              />
              <Field
                label="Page"
                name="destination_url"
                value={value('destination_url')}
                hint="Of this site, such as /browse. Empty: the start page, or the name's."
                problem={issueWith(refused, 'destination_url')}
              />
              <Field
                label="Label"
                name="label"
                value={value('label')}
                hint="For you alone, such as: newsletter in May."
                problem={issueWith(refused, 'label')}
                maxlength={200}
              />
              <button type="submit">Make the link</button>
            </form>
          </details>
        ) : (
          <Notice kind="info">
            Tracked links are for partners with an affiliate account. Ask the operator to link one.
          </Notice>
        )}
        <h2>Links</h2>
        <Filters path={path} isSet={isFiltered}>
          <Field label="Domain" name="domain" value={query.domain} />
          <Select
            label="Type"
            name="type"
            value={query.type}
            options={choices('Any', LINK_TYPES)}
          />
        </Filters>
        <Table
          caption="Tracked links, newest first"
          columns={[
            {
              label: 'Link',
              cell: ({ url }) => <code>{url}</code>,
            },
            {
              label: 'For',
              cell: ({ type, domain, product, label }) =>
                label ?? domain ?? product ?? stateText(type),
            },
            {
              label: 'Clicks',
              align: 'end',
              cell: ({ clicks }) => clicks.toLocaleString('en-US'),
            },
            { label: 'Sales', align: 'end', cell: ({ sales }) => sales.toLocaleString('en-US') },
            {
              label: 'Sold for',
              align: 'end',
              cell: ({ sale_amount_cents }) => amount(sale_amount_cents, HOME_CURRENCY),
            },
            {
              label: 'Commission',
              align: 'end',
              cell: ({ commission_cents }) => amount(commission_cents, HOME_CURRENCY),
            },
            { label: 'Made', cell: ({ created_at }) => <Day at={at(created_at)} /> },
          ]}
          rows={found?.links}
          empty={
            <Empty title={isFiltered ? 'No link fits' : 'No links yet'}>
              {isFiltered
                ? 'Change the filter, or clear it.'
                : 'Make one, and put it where your visitors are: what they buy within 30 days is yours.'}
            </Empty>
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }
}

const WHERE = {
  generic: 'the start page',
  domain: "a name's page",
  product: 'a product of yours',
} as const
