import type { House } from '../../kernel/house.ts'
import { type Attempt, KEPT_MS } from '../../kernel/idempotency.ts'
import { answerOnce } from '../../kernel/repeatable-read.ts'
import {
  type ChangeCaller,
  type ChangeInput,
  changeDomains,
  runChange,
} from '../../modules/holdings/change-domains.ts'
import { isCharged, renewDomains } from '../../modules/holdings/renew-domains.ts'
import { performWrite } from '../perform.ts'

/** A change of a user's domains from a page: what the bulk endpoint does, with the answer as JSON. */
export async function applyChange(
  house: House,
  caller: ChangeCaller,
  input: ChangeInput,
  attempt: Attempt | null,
): Promise<{
  body: string
  /** False while a repeat may learn more, or try again. */
  isFinal: boolean
}> {
  if (!isCharged(input)) {
    const now = house.clock.now()
    const { body } = await performWrite(house, changeDomains, now, attempt, (context) =>
      runChange(context, caller, input),
    )
    return { body, isFinal: true }
  }
  let isFinal = true
  const work = async () => {
    const answer = await renewDomains(house, caller, input, attempt)
    isFinal = answer.isFinal
    return { status: changeDomains.status, body: JSON.stringify(answer.value), isFinal }
  }
  const { body } = attempt ? await answerOnce(house, attempt, work, KEPT_MS) : await work()
  return { body, isFinal }
}
