import type { ApiError } from '../../core/errors.ts'
import { Field, Select } from '../components/form.tsx'
import { choices } from './choices.ts'
import { issueWith, type PortalContext } from './portal.tsx'

/** The filter of a list by days: from one on, and before another. */
export function SpanFields({
  query: { from, to },
  problem,
}: {
  query: PortalContext['query']
  problem: ApiError | undefined
}) {
  return (
    <>
      <Field
        label="From"
        name="from"
        type="date"
        value={from}
        problem={issueWith(problem, 'from')}
      />
      <Field label="Before" name="to" type="date" value={to} problem={issueWith(problem, 'to')} />
    </>
  )
}

/** The filter of a list by domain and status. */
export function DomainAndStatus({
  query: { domain, status },
  statuses,
  problem,
}: {
  query: PortalContext['query']
  statuses: readonly string[]
  problem: ApiError | undefined
}) {
  return (
    <>
      <Field label="Domain" name="domain" value={domain} problem={issueWith(problem, 'domain')} />
      <Select label="Status" name="status" value={status} options={choices('Any', statuses)} />
    </>
  )
}
