import type pg from 'pg'
import type { ModelCheck } from '../../core/context.ts'
import type { Settings } from '../../core/settings.ts'
import { checkedWith, describeCheck } from '../../domain/search/check-model.ts'
import { modelName } from '../../domain/search/embedding-model.ts'
import { type Finding, finding } from './finding.ts'

const { ok, warning } = finding('embeddings')

/** Whether searches use the embedding model that is set, by what the service has found out. */
export async function checkEmbeddings(
  client: pg.Client,
  { embeddings }: Settings,
): Promise<Finding[]> {
  if (!embeddings) return []
  const model = modelName(embeddings)
  const exists = await client.query("select from pg_tables where tablename = 'embedding_checks'")
  const { rows } = exists.rowCount
    ? await client.query<ModelCheck>(
        'select * from embedding_checks where model = $1 and checked_with = $2',
        [model, checkedWith()],
      )
    : { rows: [] }
  const [check] = rows
  if (!check) {
    return [
      warning(
        `${model} is not checked yet: the service does so soon after its start, once the endpoint responds.`,
      ),
    ]
  }
  const says = describeCheck(model, check)
  return [check.is_used ? ok(says) : warning(`${says}. Set another model, or none.`)]
}
