import { ApiError } from '../../core/errors.ts'
import { listForSaleRecords, setRegistrarForSale } from '../../domain/registrars/manage-for-sale.ts'
import { listOperations, retryOperation } from '../../domain/registrars/manage-operations.ts'
import {
  addRegistrar,
  listRegistrars,
  removeRegistrar,
  testRegistrar,
} from '../../domain/registrars/manage-registrars.ts'
import { settleOperation } from '../../http/registrar-finishers.ts'
import { count, domain, id, status, text, time } from '../components/columns.tsx'
import { errorText } from '../components/humanize.ts'
import type { Column } from '../components/list.tsx'
import { Notice } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action, type ConsolePage } from './page.ts'
import { Do, Form, Group } from './parts.tsx'

const PATH = '/operator/registrars'
const OPERATIONS = `${PATH}/operations`
const FOR_SALE = `${PATH}/for-sale`

type Operation = Awaited<ReturnType<typeof listOperations.handler>>['operations'][number]

export const retry = action({
  operation: retryOperation,
  done: ({ op, domain }) => `${opText(op)} of ${domain} is tried again.`,
})

export function operationColumns(): Column<Operation>[] {
  return [
    { label: 'Operation', cell: ({ op }) => opText(op) },
    text('Registrar', 'registrar'),
    status('Status', 'status'),
    {
      label: 'Error',
      cell: ({ error }) => (error === null ? '–' : `${error.code}: ${error.message}`),
    },
    time('Requested', 'created_at'),
    { label: '', cell: (row) => <Moves row={row} /> },
  ]
}

function opText(op: string): string {
  return op.replaceAll('_', ' ')
}

function Moves({ row: { operation_id, status, domain } }: { row: Operation }) {
  if (status === 'succeeded' || status === 'running') return null
  return <Do does={retryOperation} fields={{ operation_id }} label="Retry" about={domain} />
}

/** What registrars were asked to do. */
const operations: ConsolePage = listPage({
  path: OPERATIONS,
  title: 'Registrar operations',
  lead: 'What registrars were asked to do, newest first.',
  actions: [
    retry,
    action({
      operation: settleOperation,
      done: ({ op, domain, status }) => `${opText(op)} of ${domain} is recorded as ${status}.`,
    }),
  ],
  operation: listOperations,
  rows: 'operations',
  filters: { domain: 'Domain', status: 'Status' },
  empty: ['No operations yet', 'A transfer that starts, a renewal or a lock is one.'],
  columns: (page) => [
    domain(({ domain }: Operation) => page.href(OPERATIONS, { domain })),
    ...operationColumns(),
    id('ID', 'operation_id'),
  ],
  footer: (page) => (
    <Form
      page={page}
      does={settleOperation}
      collapsed="Record an operation that you did by hand"
      fields={{
        operation_id: { label: 'Operation ID', placeholder: 'rop_…' },
        outcome: 'Outcome',
        reason: { label: 'Why it failed', hint: 'Required when it failed.' },
        expires_at: {
          label: 'New expiry',
          hint: 'Required after a renewal, such as 2028-01-31T00:00:00Z.',
        },
      }}
      submit="Record"
    />
  ),
})

/** What stands at `_for-sale` in zones at registrars. */
const forSale: ConsolePage = listPage({
  path: FOR_SALE,
  title: 'Records for sale',
  lead: 'TXT records at _for-sale (RFC 10023) that are published through registrars, by domain.',
  operation: listForSaleRecords,
  rows: 'records',
  filters: { domain: 'Domain', registrar: 'Registrar', status: 'Status' },
  empty: [
    'No records yet',
    'Switch them on for a registrar: its listed domains get one within minutes.',
  ],
  columns: (page) => [
    domain(({ domain }) => page.href(OPERATIONS, { domain })),
    text('Registrar', 'registrar'),
    status('Status', 'status'),
    { label: 'Record', cell: ({ value }) => <code>{value}</code> },
    {
      label: 'Error',
      cell: ({ error }) => (error === null ? '–' : `${error.code}: ${error.message}`),
    },
    time('Changed', 'updated_at'),
  ],
})

/** Connections to registrars, each tested and removed here. Their configurations are never shown. */
export const registrars: ConsolePage = listPage({
  path: PATH,
  title: 'Registrars',
  lead: 'Where domains are held: transfers, renewals and locks are performed through these connections.',
  waiting: (counts) => counts.operations_open + counts.operations_by_hand,
  actions: [
    // Not where one was tested: the connection may be gone by then.
    action({
      operation: addRegistrar,
      to: () => PATH,
      done: ({ name }) => `${name} added. Test the connection next.`,
    }),
    action({
      operation: removeRegistrar,
      to: () => PATH,
      done: ({ name }) => `${name} removed.`,
    }),
    action({
      operation: setRegistrarForSale,
      to: () => PATH,
      done: ({ name, publishes_for_sale }) =>
        publishes_for_sale
          ? `${name} publishes records for sale from now on.`
          : `The records for sale at ${name} are removed.`,
    }),
  ],
  operation: listRegistrars,
  rows: 'registrars',
  aside: (page) => (
    <Group>
      <a class="button quiet" href={page.href(FOR_SALE)}>
        Records for sale
      </a>
      <a class="button quiet" href={page.href(OPERATIONS)}>
        Operations
      </a>
    </Group>
  ),
  above: async (page) => {
    const { test: name } = page.query
    if (!name) return null
    try {
      const { driver, server, capabilities } = await page.read(testRegistrar, { name })
      const can = capabilities.map(opText).join(', ')
      return (
        <Notice kind="good">
          {name} is connected ({driver}): {server}. It can do: {can}.
        </Notice>
      )
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return <Notice kind="error">{errorText(error)}</Notice>
    }
  },
  empty: ['No connections yet', 'Without one, operators do everything at the registrar by hand.'],
  columns: (page) => [
    text('Name', 'name'),
    text('Driver', 'driver'),
    { label: 'TLDs', cell: ({ tlds }) => tlds.map((tld) => `.${tld}`).join(', ') },
    count('Domains', 'domains'),
    { label: '_for-sale', cell: (row) => (row.publishes_for_sale ? 'published' : 'off') },
    time('Added', 'created_at'),
    {
      label: '',
      cell: ({ name, capabilities, publishes_for_sale }) => (
        <Group>
          <a class="button quiet small" href={page.href(PATH, { test: name })}>
            Test
          </a>
          {capabilities.includes('set_for_sale') && (
            <Do
              does={setRegistrarForSale}
              fields={{ name, enabled: String(!publishes_for_sale) }}
              label={publishes_for_sale ? 'Stop _for-sale' : 'Publish _for-sale'}
              about={name}
            />
          )}
          <Do
            does={removeRegistrar}
            fields={{ name }}
            label="Remove"
            kind="danger"
            about={name}
            confirm={`Remove ${name}? Its credentials are deleted.`}
          />
        </Group>
      ),
    },
  ],
  footer: (page) => (
    <Form
      page={page}
      does={addRegistrar}
      collapsed="Add a connection"
      fields={{
        name: { label: 'Name', placeholder: 'example-registrar' },
        driver: 'Driver',
        config: {
          label: 'Configuration, as JSON',
          hint: 'What the driver needs, always with tlds. It is sealed, and never shown again.',
        },
      }}
      submit="Add"
      kind="main"
    />
  ),
  below: [operations, forSale],
})
