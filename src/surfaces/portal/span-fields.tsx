import type { Refusal } from '../../kernel/errors.ts'
import { Field } from '../pages/form.tsx'
import { issueWith, type PortalVisit } from './portal.tsx'

/** The filter of a list by days: from one on, and before another. */
export function SpanFields({
  query: { from, to },
  problem,
}: {
  query: PortalVisit['query']
  problem: Refusal | undefined
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
