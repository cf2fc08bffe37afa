import { TestMark } from '../checkout/steps.tsx'
import { Empty } from '../components/parts.tsx'
import { NameList, PriceHint, SaleRow, SearchBox } from './names.tsx'

/** Examples of searches by meaning. */
const TOPICS = ['coffee', 'travel', 'pets', 'finance', 'fitness', 'garden', 'music', 'robots']

export interface Offered {
  domain: string
  price_cents: number | null
  price_masked: boolean
  currency: string
}

/** The first page: one question, and what is new on the market. */
export function Home({ names, isTest }: { names: Offered[]; isTest: boolean }) {
  return (
    <>
      <section class="hero">
        <h1>Find the name for it</h1>
        <p class="lead">
          Say the name that you want, or what it is for. We ask the registries and our market at
          once.
        </p>
        <SearchBox autofocus />
        <p class="topics">
          <span>Such as</span>
          {TOPICS.map((topic) => (
            <a href={`/search?q=${topic}`}>{topic}</a>
          ))}
        </p>
      </section>
      <section aria-labelledby="featured">
        <div class="heading">
          <h2 id="featured">New on the market</h2>
          <a href="/browse">Browse all names</a>
        </div>
        {isTest && <TestMark environment="sandbox" />}
        {names.length === 0 ? (
          <div class="panel">
            <Empty title="Nothing is for sale at the moment">
              <p>Search for a name: it may be free, or its owner may sell.</p>
            </Empty>
          </div>
        ) : (
          <>
            <NameList label="New on the market">
              {names.map((name) => (
                <SaleRow domain={name.domain} price={name} />
              ))}
            </NameList>
            {names.some(({ price_masked }) => price_masked) && <PriceHint next="/" />}
          </>
        )}
      </section>
      <section class="ways" aria-label="What you can do here">
        <div>
          <h2>Buy what is for sale</h2>
          <p>One price, no fees, and your money back if the transfer fails.</p>
          <a href="/browse">Browse names</a>
        </div>
        <div>
          <h2>Ask for what is taken</h2>
          <p>A broker finds the owner and negotiates. You pay only if you agree on a price.</p>
          <a href="/search?q=example.com">Try a name</a>
        </div>
        <div>
          <h2>Sell your domains</h2>
          <p>Prove that they are yours, set your prices, and get a page for each.</p>
          <a href="/account/claims">Add your domains</a>
        </div>
        <div>
          <h2>Build on it</h2>
          <p>Partners sell these names through a signed API; agents read the market by MCP.</p>
          <a href="/docs">Read the docs</a>
        </div>
      </section>
    </>
  )
}
