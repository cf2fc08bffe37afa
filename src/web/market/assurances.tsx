import { legalLine } from '../../core/brand.ts'
import { rulesOf, useSite } from '../layout/site.ts'

/** What somebody who pays thousands to strangers wants to know first, beside the price of a name. */
export function Assurances({
  isSellersOwn,
  home = '',
}: {
  /** The name is a user's, and not of the marketplace itself. */
  isSellersOwn: boolean
  /** What the paths of our own pages follow, on a page that is at another host. */
  home?: string
}) {
  const site = useSite()
  const { name, legal, supportEmail } = site
  const { refunds, terms } = rulesOf(site, home)
  return (
    <div class="assurances">
      <section>
        <h2>How you get it</h2>
        <p>
          We start within a working day of your payment. A transfer to another registrar then takes
          five to seven days; a move into your account at the same registrar usually takes one. Your
          order has a page that shows each step.
        </p>
      </section>
      <section>
        <h2>What protects your money</h2>
        <p>
          If the domain cannot be delivered, you get your whole payment back.
          {isSellersOwn && ' The seller is paid only after the domain has been delivered to you.'}{' '}
          Card details go to the payment provider alone. <a href={refunds}>Refund policy</a>
        </p>
      </section>
      <section>
        <h2>Who sells</h2>
        <p>
          {isSellersOwn
            ? `${legalLine(site) ?? legal.name}, for an owner who has proved that the domain is theirs.`
            : `${legalLine(site) ?? legal.name}.`}{' '}
          You get an invoice. <a href={terms}>Terms of sale</a>
        </p>
      </section>
      <section>
        <h2>Questions?</h2>
        <p>
          {supportEmail === null ? (
            <a href={`${home}/contact`}>Contact {name}</a>
          ) : (
            <>
              Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
            </>
          )}
        </p>
      </section>
    </div>
  )
}
