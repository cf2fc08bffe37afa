import type { ApiError } from '../../core/errors.ts'
import { Field } from '../components/form.tsx'
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
