import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { ApiError } from '../../core/errors.ts'
import { createLink, type LinkView } from '../../domain/referrals/create-link.ts'
import { findLink } from '../../domain/referrals/find-link.ts'
import { listLinks } from '../../domain/referrals/list-links.ts'
import { readDaysOfLink } from '../../domain/referrals/referral-days.ts'
import { LINK_TYPES } from '../../domain/referrals/referral-link.ts'
import { after, DAY } from '../../lib/clock.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { DayChart } from '../components/chart.tsx'
import { Field, Once, Select } from '../components/form.tsx'
import { stateText } from '../components/humanize.ts'
import { Filters, Pager, Table } from '../components/list.tsx'
import { amount, money } from '../components/money.ts'
import {
  Copyable,
  Day,
  Empty,
  Facts,
  Heading,
  Id,
  Notice,
  Stats,
  Timestamp,
} from '../components/parts.tsx'
import { at, choices } from './choices.ts'
import { issueWith, type Portal, type PortalContext } from './portal.tsx'

type Link = Pick<z.output<typeof LinkView>, 'type' | 'domain' | 'product' | 'label'>

const DAYS = 30
const FIELDS = ['type', 'domain', 'product', 'destination_url', 'label'] as const

/** Links that tell whose visitors bought. */
export function serveLinks(portal: Portal): void {
  const { db, settings } = portal.app
  portal.get('/links', (page) => showLinks(page))
  portal.get('/links/:id', showLink)
  portal.post(
    '/links',
    async (page) => {
      const given = FIELDS.map((field) => [field, page.form.get(field)?.trim() ?? ''])
      const { id } = await portal.perform(page, createLink, Object.fromEntries(given))
      return page.goOn(`${page.base}/links/${id}`, 'The link is ready. Copy it below.')
    },
    (page, problem) => showLinks(page, problem, page.form),
  )

  async function showLink(page: PortalContext): Promise<FastifyReply> {
    const { base, now, params, partner } = page
    const link = await findLink(db, partner, params.id ?? '', settings.baseUrl)
    const days = await readDaysOfLink(db, link.id, after(now, -(DAYS - 1) * DAY), DAYS)
    return portal.show(
      page,
      { title: nameOf(link), at: '/links' },
      <>
        <Heading title={nameOf(link)}>
          <a class="button quiet small" href={link.url}>
            Open the link
          </a>
        </Heading>
        <Copyable id="link" text={link.url} />
        <Stats
          stats={[
            { label: 'Clicks', value: link.clicks.toLocaleString('en-US') },
            { label: 'Sales', value: link.sales.toLocaleString('en-US') },
            { label: 'Sold for', value: money(link.sale_amount_cents, HOME_CURRENCY) },
            { label: 'Your commission', value: money(link.commission_cents, HOME_CURRENCY) },
          ]}
        />
        <DayChart
          title={`Clicks and sales in ${DAYS} days`}
          days={days.map(({ date }) => date)}
          series={[
            { label: 'Clicks', values: days.map(({ clicks }) => clicks) },
            { label: 'Sales', values: days.map(({ sales }) => sales) },
          ]}
        />
        <section class="panel roomy apart">
          <Facts
            facts={[
              ['Link', <Id id={link.id} />],
              ['Leads to', <a href={link.destination}>{link.destination}</a>],
              ['Type', stateText(link.type)],
              ['Domain', link.domain ?? '–'],
              ['Product', link.product ?? '–'],
              ['Label', link.label ?? '–'],
              ['Created', <Timestamp at={at(link.created_at)} />],
            ]}
          />
          <p>
            <a href={`${base}/links`}>All tracked links</a>
          </p>
        </section>
      </>,
    )
  }

  async function showLinks(
    page: PortalContext,
    rejected?: ApiError,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const { query, base, account } = page
    const path = `${base}/links`
    const affiliate = await portal.app.db
      .selectFrom('affiliates')
      .select('id')
      .where('partner_id', '=', account.id)
      .executeTakeFirst()
    const [found, wrong] = affiliate
      ? await portal.list(() =>
          portal.read(page, listLinks, {
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
      page,
      { title: 'Tracked links', at: '/links', problem: rejected ?? wrong },
      <>
        <Heading title="Tracked links" />
        {affiliate ? (
          <details open={form !== undefined}>
            <summary>Create a link</summary>
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
                problem={issueWith(rejected, 'domain')}
              />
              <Field
                label="Product"
                name="product"
                value={value('product')}
                hint="The name of your product, in your own words."
                problem={issueWith(rejected, 'product')}
                maxlength={100}
              />
              <Field
                label="Page"
                name="destination_url"
                value={value('destination_url')}
                hint="A path on this site, such as /browse. If empty, the front page or the name's page."
                problem={issueWith(rejected, 'destination_url')}
              />
              <Field
                label="Label"
                name="label"
                value={value('label')}
                hint="Only you see it. For example: Newsletter in May."
                problem={issueWith(rejected, 'label')}
                maxlength={200}
              />
              <button type="submit">Create the link</button>
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
          isMain
          caption="Tracked links, newest first"
          columns={[
            {
              label: 'For',
              cell: (link) => <a href={`${path}/${link.id}`}>{nameOf(link)}</a>,
            },
            { label: 'Link', cell: ({ url }) => <Id id={url} href={url} /> },
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
            { label: 'Created', cell: ({ created_at }) => <Day at={at(created_at)} /> },
          ]}
          rows={found?.links}
          empty={
            <Empty title={isFiltered ? 'No matching links' : 'No links yet'}>
              {isFiltered
                ? 'Change the filter, or clear it.'
                : 'Create one and share it: you earn a commission on what its visitors buy within 30 days.'}
            </Empty>
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }
}

/** What a partner calls a link. */
function nameOf({ type, domain, product, label }: Link): string {
  return label ?? domain ?? product ?? stateText(type)
}

const WHERE = {
  generic: 'the start page',
  domain: "a name's page",
  product: 'a product of yours',
} as const
