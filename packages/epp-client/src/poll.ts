import { domainToASCII } from 'node:url'
import type { Call, EppClient } from './client.ts'
import { BadFrame, CommandRejected } from './errors.ts'
import { DOMAIN } from './namespaces.ts'
import { reading } from './reading.ts'
import { element, textIn } from './xml.ts'

/** A message of the registry's queue. */
export interface QueueMessage {
  id: string
  text: string
  queuedAt: Date | null
  /** The domain that it is about, where its data say so. */
  domain: string | null
  /** The data's element, such as `trnData` of transfers and `panData` of actions that were pending. */
  data: string | null
}

/** The oldest message that is not acknowledged, or null (RFC 5730, section 2.9.2.3). */
export async function pollMessage(client: EppClient, call: Call): Promise<QueueMessage | null> {
  const command = element('poll', { op: 'req' })
  const { code, queue, data } = await client.send(() => ({ command }), call)
  if (code === 1300) return null
  return reading(() => {
    if (!queue) throw new BadFrame('The server sent a message without an id.')
    const about = data?.children[0]
    const domain = about?.namespace === DOMAIN ? textIn(about, DOMAIN, 'name') : null
    return {
      id: queue.id,
      text: queue.text,
      queuedAt: queue.queuedAt,
      domain: domain && (domainToASCII(domain) || domain.toLowerCase()),
      data: about?.name ?? null,
    }
  })
}

/** A message that is not there any more was acknowledged before. */
export async function acknowledgeMessage(client: EppClient, id: string, call: Call): Promise<void> {
  const command = element('poll', { op: 'ack', msgID: id })
  try {
    await client.send(() => ({ command }), call)
  } catch (error) {
    if (error instanceof CommandRejected && error.code === 2303) return
    throw error
  }
}
