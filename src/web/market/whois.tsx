import { withULabels } from 'domain-marketplace-domain-names'
import type { WhoisResponse } from '../../domain/registry/whois-lookup.ts'
import { Field } from '../components/form.tsx'
import { Name } from '../components/name.tsx'
import { nameLink } from './names.tsx'
import { WhoisFacts } from './registry-facts.tsx'

/** What the registry said, or why it could not be asked. */
export type WhoisResult = { response: WhoisResponse } | { problem: string; status: number }

export function Whois({
  domain,
  looked,
}: {
  domain: string | undefined
  looked: WhoisResult | null
}) {
  const result = looked && 'response' in looked ? looked.response : null
  return (
    <>
      <h1>WHOIS</h1>
      <p class="lead">
        Where a name is registered, and until when: asked of its registry by RDAP, or else WHOIS.
      </p>
      <form class="lookup" action="/whois" role="search">
        <Field
          label="Name"
          name="domain"
          type="search"
          value={domain}
          problem={looked && 'problem' in looked ? looked.problem : undefined}
          maxlength={253}
          placeholder="example.com"
          required
          autofocus={domain === undefined}
        />
        <button type="submit">Look up</button>
      </form>
      {result && (
        <section aria-labelledby="result">
          <h2 id="result">
            <Name domain={result.domain} />
          </h2>
          <div class="panel">
            <WhoisFacts response={result} />
          </div>
          <p class="aside">
            <a href={nameLink(result.domain)}>Is {withULabels(result.domain)} available?</a>
          </p>
        </section>
      )}
    </>
  )
}
