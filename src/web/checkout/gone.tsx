import type { Session } from '../../domain/checkout/session.ts'
import { ReadName } from '../components/name.tsx'
import { TestMark } from './steps.tsx'

/** Why nothing can be bought here, or not now: of the name, where nothing heads it that is about the checkout. */
interface Reason {
  title: string
  heading?: string
  text: string
}
export const GONE = {
  expired: {
    title: 'Expired',
    heading: 'This checkout has expired',
    text: 'The time to pay here has run out. Nothing was charged.',
  },
  cancelled: {
    title: 'Cancelled',
    heading: 'This checkout was cancelled',
    text: 'Nothing was charged.',
  },
  closed: {
    title: 'Not open',
    heading: 'This checkout is not open',
    text: 'It takes no payment just now. Nothing was charged.',
  },
  sold: { title: 'Sold', text: 'Somebody else was faster. Nothing was charged.' },
  withdrawn: {
    title: 'Not for sale',
    text: 'Its owner does not offer it any more. Nothing was charged.',
  },
  reserved: {
    title: 'Reserved',
    text: 'Somebody else has it for some minutes. Nothing was charged. This link goes on working: come back to it then.',
  },
  being_bought: {
    title: 'Being bought',
    text: 'A payment for it is under way. Nothing was charged. This link goes on working: come back to it later, in case that payment fails.',
  },
}

/** Of what may end, so that the checkout goes on. */
export const HELD = new Set<string>(['reserved', 'being_bought'])

export function Gone({ session, why }: { session: Session; why: keyof typeof GONE }) {
  const name = <ReadName domain={session.domain} />
  const { title, heading, text }: Reason = GONE[why]
  const isLost = why === 'sold' || why === 'withdrawn'
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>
        {heading ?? (
          <>
            {name} is {title.toLowerCase()}
          </>
        )}
      </h1>
      <p class="lead">{text}</p>
      <p>
        <a class="button quiet" href={isLost ? '/' : `/d/${session.domain}`}>
          {isLost ? 'Look for another name' : <>See {name}</>}
        </a>
      </p>
    </>
  )
}
