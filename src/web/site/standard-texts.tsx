import type { ComponentChildren, VNode } from 'preact'
import type { Brand, TextName } from '../../core/brand.ts'
import { Facts } from '../components/parts.tsx'
import { rulesOf } from '../layout/site.ts'

/** What a marketplace says of itself until its operator has written something better: what is true of each. */
export const STANDARD_TEXTS: Record<TextName, (props: { site: Brand }) => VNode> = {
  about: About,
  contact: Contact,
  terms: Terms,
  privacy: Privacy,
}

function About({ site }: { site: Brand }) {
  const { name } = site
  const { terms } = rulesOf(site)
  return (
    <>
      <h1>About {name}</h1>
      <p class="lead">
        {name} sells domain names: its own, and those that their owners have proved to be theirs.
      </p>
      <h2>How a purchase works</h2>
      <ol>
        <li>You see the whole price, with any tax, before you pay. No fees are added.</li>
        <li>We check the order and start the transfer, usually within a working day.</li>
        <li>
          The domain is transferred to your registrar, moved into your account at its current one,
          or kept here for you. You choose.
        </li>
        <li>You can follow each step on the page of your order.</li>
      </ol>
      <h2>If something fails</h2>
      <p>
        If the domain cannot be delivered, you get your whole payment back. The{' '}
        <a href={terms}>terms</a> have the details.
      </p>
      <h2>Who we are</h2>
      <Company site={site} />
    </>
  )
}

function Contact({ site }: { site: Brand }) {
  const { supportEmail } = site
  return (
    <>
      <h1>Contact</h1>
      {supportEmail === null ? (
        <p class="lead">
          No support address has been published yet. If you bought a domain through a partner, write
          to the partner.
        </p>
      ) : (
        <>
          <p class="lead">
            Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
          </p>
          <p>
            If it is about an order, please name its number. It begins with <code>ord_</code>, and
            is in your receipt.
          </p>
        </>
      )}
      <h2>Company</h2>
      <Company site={site} />
      <h2>Security</h2>
      <p>
        To report a vulnerability, see <a href="/.well-known/security.txt">security.txt</a>.
      </p>
    </>
  )
}

function Terms({ site }: { site: Brand }) {
  const { name, legal } = site
  return (
    <>
      <h1>Terms of sale</h1>
      <p class="lead">They apply when you buy a domain name on {name}.</p>
      <h2>Who you buy from</h2>
      <p>
        {legal.name} sells you the domain and takes your payment. It may sell for an owner who has
        proved that the domain is theirs.
      </p>
      <h2>Price and payment</h2>
      <p>
        The price that you see before you pay is the price that you are charged. Tax is shown apart
        from it. You receive a receipt by e-mail, and an invoice.
      </p>
      <h2>Delivery</h2>
      <p>
        We start the transfer after we have checked the order, usually within a working day. A
        transfer to another registrar usually takes five to seven days, because registries give the
        current owner time to object. A move within one registrar is usually done within a day.
      </p>
      <h2 id="refunds">Refunds</h2>
      <p>
        If we cannot deliver the domain, or if it was sold to somebody else before your payment
        arrived, we refund your whole payment in the way that you paid. Banks take a few days to
        show it. Once a domain has been delivered to you, the sale is final, unless the law gives
        you another right.
      </p>
      <h2>What you are responsible for</h2>
      <p>
        The details of the registrant must be true, and you must meet the rules of the registry. You
        make sure that your use of the name infringes no rights of others.
      </p>
    </>
  )
}

function Privacy({ site }: { site: Brand }) {
  const { name, legal } = site
  return (
    <>
      <h1>Privacy</h1>
      <p class="lead">What {name} knows of you, and what for.</p>
      <h2>When you look</h2>
      <p>
        Pages set no cookies for advertising and load nothing that follows you. A cookie keeps you
        signed in, another one remembers which partner's link brought you here, so that the partner
        can be paid, and a third one keeps the theme that you chose. Your network address is used to
        limit how many requests come from it.
      </p>
      <h2>When you buy</h2>
      <p>
        We need your name, address and e-mail address to register the domain, and pass them on to
        its registrar and registry. The payment provider has your card; we do not. Orders and
        invoices are kept as long as the law asks for.
      </p>
      <h2>When you have an account</h2>
      <p>
        We store your e-mail address, your password as a hash that cannot be reversed, your domains
        and what you did with them.
      </p>
      <h2>Your rights</h2>
      <p>
        You can ask {legal.name} for a copy of what is stored of you, to correct it, and to erase
        it. See <a href="/contact">contact</a>.
      </p>
    </>
  )
}

function Company({ site: { name, legal, supportEmail } }: { site: Brand }) {
  const facts: [string, ComponentChildren][] = [
    ['Marketplace', name],
    ...rowOf('Company', legal.name === name ? null : legal.name),
    ...rowOf('Address', legal.address),
    ...rowOf('Country', legal.country),
    ...rowOf('Tax number', legal.taxId),
    ...rowOf('Support', supportEmail && <a href={`mailto:${supportEmail}`}>{supportEmail}</a>),
  ]
  return <Facts facts={facts} />
}

function rowOf(name: string, value: ComponentChildren): [string, ComponentChildren][] {
  return value === null ? [] : [[name, value]]
}
