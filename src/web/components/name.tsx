import { withULabels } from 'domain-marketplace-domain-names'

/** A name as people read it, its end set apart; beside an internationalised one stands what it is sent as. */
export function Name({ domain }: { domain: string }) {
  return (
    <>
      <ReadName domain={domain} />
      {withULabels(domain) !== domain && <small class="a-label">{domain}</small>}
    </>
  )
}

/** Longer names are broken, where a table would become wider than its place. */
const LONG = 40

/** A name or an address in a row of a table, where people look for it as a whole. */
export function RowText({ text }: { text: string }) {
  return text.length > LONG ? <span class="long">{text}</span> : <>{text}</>
}

/** The same as `Name` in a row of a table. */
export function RowName({ domain }: { domain: string }) {
  const shown = withULabels(domain)
  return (
    <>
      <RowText text={shown} />
      {shown !== domain && <small class="a-label">{domain}</small>}
    </>
  )
}

/** The same within a sentence, on pages that say elsewhere what it is sent as. */
export function ReadName({ domain }: { domain: string }) {
  const shown = withULabels(domain)
  const dot = shown.indexOf('.')
  return (
    <span class="name">
      {shown.slice(0, dot)}
      <span class="tld">{shown.slice(dot)}</span>
    </span>
  )
}
