import { type CompiledQuery, Kysely } from 'kysely'
import { type Database, dialect } from './dialect.ts'
import type { Schema } from './schema.ts'

const builder: Database = new Kysely<Schema>({ dialect })

/** Stands for a value that is not known yet. */
class Place {
  readonly name: string | symbol

  constructor(name: string | symbol) {
    this.name = name
  }
}

/**
 * A statement that is built once, for the busiest paths: from then on a call only fills in its values.
 * `build` gets a place for each value, which it may hand to Kysely as one, but not look into.
 */
export function prepared<Values extends object, Row = unknown>(
  build: (db: Database, values: Values) => CompiledQuery<Row>,
): (values: Values) => CompiledQuery<Row> {
  let built: CompiledQuery<Row> | undefined
  return (values) => {
    built ??= build(builder, new Proxy(values, { get: (_, name) => new Place(name) }))
    const parameters = built.parameters.map((value) =>
      value instanceof Place ? values[value.name as keyof Values] : value,
    )
    return { ...built, parameters }
  }
}
