import { legalLine } from '../../core/brand.ts'
import { rulesOf, useSite } from '../layout/site.ts'

/** What a buyer wants to know before they give their card: who takes the money, and what if it goes wrong. */
export function Trust({ takesCards }: { takesCards: boolean }) {
  const site = useSite()
  const { name, legal, supportEmail } = site
  const { refunds } = rulesOf(site)
  return (
    <section class="trust" aria-label="Your purchase">
      {takesCards && <CardMarks />}
      <dl>
        <div>
          <dt>Sold by</dt>
          <dd>{legalLine(site) ?? legal.name}</dd>
        </div>
        <div>
          <dt>Delivery</dt>
          <dd>
            We start within a working day. A transfer to another registrar then takes five to seven
            days.
          </dd>
        </div>
        <div>
          <dt>Refund</dt>
          <dd>
            Your whole payment back if the domain cannot be delivered.{' '}
            <a href={refunds}>Refund policy</a>
          </dd>
        </div>
        <div>
          <dt>Support</dt>
          <dd>
            {supportEmail === null ? (
              <a href="/contact">Contact {name}</a>
            ) : (
              <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
            )}
          </dd>
        </div>
      </dl>
    </section>
  )
}

/** The same of a receipt, among its facts. */
export function SoldBy() {
  const site = useSite()
  return (
    <>
      <dt>Sold by</dt>
      <dd>{legalLine(site) ?? site.name}</dd>
      {site.supportEmail !== null && (
        <>
          <dt>Support</dt>
          <dd>
            <a href={`mailto:${site.supportEmail}`}>{site.supportEmail}</a>
          </dd>
        </>
      )}
    </>
  )
}

/** The cards that are taken, as buyers know them. */
function CardMarks() {
  return (
    <p class="cards">
      <svg viewBox="0 0 46 30" width="46" height="30" role="img" aria-label="Visa">
        <rect width="46" height="30" rx="4" fill="#fff" stroke="#c8ced4" />
        <text
          x="23"
          y="20"
          text-anchor="middle"
          font-family="Arial, Helvetica, sans-serif"
          font-size="13"
          font-weight="800"
          font-style="italic"
          fill="#1a1f71"
        >
          VISA
        </text>
      </svg>
      <svg viewBox="0 0 46 30" width="46" height="30" role="img" aria-label="Mastercard">
        <rect width="46" height="30" rx="4" fill="#fff" stroke="#c8ced4" />
        <circle cx="18.5" cy="15" r="8" fill="#eb001b" />
        <circle cx="27.5" cy="15" r="8" fill="#f79e1b" />
        <path d="M23 8.4a8 8 0 0 1 0 13.2 8 8 0 0 1 0-13.2" fill="#ff5f00" />
      </svg>
      <svg viewBox="0 0 46 30" width="46" height="30" role="img" aria-label="American Express">
        <rect width="46" height="30" rx="4" fill="#1f6fc5" />
        <text
          x="23"
          y="19"
          text-anchor="middle"
          font-family="Arial, Helvetica, sans-serif"
          font-size="10.5"
          font-weight="800"
          fill="#fff"
        >
          AMEX
        </text>
      </svg>
      <span>Card details go to the payment provider over an encrypted connection.</span>
    </p>
  )
}
