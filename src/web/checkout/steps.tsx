import type { ComponentChildren } from 'preact'
import type { Session } from '../../domain/checkout/session.ts'
import type { TaxLine } from '../../domain/tax/tax.ts'
import { money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Notice } from '../components/parts.tsx'
import { Terms } from './terms.tsx'
import { Trust } from './trust.tsx'

export function TestMark({ environment }: { environment: string }) {
  if (environment !== 'sandbox') return null
  return <Notice kind="info">This is a test. No money moves, and no domain changes hands.</Notice>
}

/** The name, large, and what it costs. */
function Offer({ domain, price }: { domain: string; price: string }) {
  return (
    <div class="offer">
      <h1>
        <Name domain={domain} />
      </h1>
      <p class="price">{price}</p>
    </div>
  )
}

const STEPS = ['Details', 'Payment', 'Receipt'] as const

/**
 * The two pages on which a buyer does something: what is bought and what happens next beside the form; on a
 * phone above and below it.
 */
export function Steps({
  session,
  at,
  tax,
  takesCards,
  children,
}: {
  session: Session
  at: (typeof STEPS)[number]
  /** What is added to the price; null while that is not known yet. */
  tax: TaxLine | null
  takesCards: boolean
  children: ComponentChildren
}) {
  const reached = STEPS.indexOf(at)
  return (
    <div class="checkout">
      <div class="summary">
        <TestMark environment={session.environment} />
        <Offer domain={session.domain} price={money(session.price_cents, session.currency)} />
        <Terms session={session} tax={tax} />
      </div>
      <div class="panel roomy">
        <ol class="track" aria-label="Steps">
          {STEPS.map((step, index) => (
            <li
              class={index < reached ? 'done' : undefined}
              aria-current={step === at ? 'step' : undefined}
            >
              {step}
              {index < reached && <span class="hidden">, done</span>}
            </li>
          ))}
        </ol>
        {children}
        <Trust takesCards={takesCards} />
      </div>
      <section class="next" aria-labelledby="next">
        <h2 id="next">What happens next</h2>
        <ol class="steps">
          <li>You tell us who the domain should be registered to, and pay.</li>
          <li>We check the order and start the transfer, usually within a working day.</li>
          <li>
            The domain arrives with your registrar. If anything fails, you get your money back.
          </li>
        </ol>
      </section>
    </div>
  )
}
