import { isStalePlan } from './server.ts'

/** Lists are passed as arrays, so texts are few but for the market's filters; later ones are parsed each time. */
const MAX_PREPARED = 1_000

/** A statement as it is prepared on a connection; without a name it is parsed each time. */
interface Named {
  name?: string
  text: string
}

/** What statements are prepared under, on every connection alike. */
export function statementNames() {
  const named = new Map<string, Named>()
  let generation = 0

  /** A pooler that prepares by the text alone must not find the older one again. */
  function make(sql: string): Named {
    if (generation === 0) return { name: `s${named.size + 1}`, text: sql }
    return { name: `s${named.size + 1}g${generation}`, text: `${sql} /* ${generation} */` }
  }

  return {
    of(sql: string): Named {
      const known = named.get(sql)
      if (known) return known
      if (named.size >= MAX_PREPARED) return { text: sql }
      const made = make(sql)
      named.set(sql, made)
      return made
    },
    /**
     * All names are new once a statement failed because its table has another column by now, as after the
     * start of a newer version beside us. Under its old name it would fail on that connection for good.
     */
    renewAfter(error: unknown, sql: string, used: Named): void {
      if (!isStalePlan(error) || named.get(sql) !== used) return
      named.clear()
      generation += 1
    },
  }
}
