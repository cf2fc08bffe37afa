import type pg from 'pg'
import type { ModelCheck } from '../../core/context.ts'
import type { Settings } from '../../core/settings.ts'
import { checkedWith, describeCheck } from '../../domain/search/check-model.ts'
import { modelName } from '../../domain/search/embedding-model.ts'
import { silenceOf } from './check-network.ts'
import { type Finding, finding } from './finding.ts'

const { ok, warning } = finding('embeddings')

/** Whether the endpoint responds, and whether searches use its model, by what the service has found out in the database. */
export async function checkEmbeddings(
  client: pg.Client | null,
  { embeddings }: Settings,
): Promise<Finding[]> {
  if (!embeddings) return []
  const silence = await silenceOf(embeddings.url)
  if (silence !== null) {
    return [
      warning(
        `The endpoint of EMBEDDINGS_URL does not respond: ${silence}. Until it does, searches do without the model.`,
      ),
    ]
  }
  if (client === null) return []
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
