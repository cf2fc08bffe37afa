import type { Call, EppClient } from './client.ts'
import { HOST } from './namespaces.ts'
import { childOf, childrenOf, element, type Markup } from './xml.ts'

/** Which of these hosts the registry does not have yet (RFC 5732, section 3.1.1). */
export async function unknownHosts(
  client: EppClient,
  names: readonly string[],
  call: Call,
): Promise<string[]> {
  const command = element(
    'check',
    {},
    hostElement(
      'check',
      names.map((name) => element('host:name', {}, name)),
    ),
  )
  const { data } = await client.send(() => ({ command }), call)
  return childrenOf(childOf(data, HOST, 'chkData'), HOST, 'cd')
    .map((checked) => childOf(checked, HOST, 'name'))
    .filter((name) => /^(?:1|true)$/.test(name?.attributes.get('avail') ?? ''))
    .map((name) => name?.text.toLowerCase() ?? '')
}

/** Makes a host without addresses, as those of other top-level domains have none (RFC 5732, section 3.2.1). */
export async function createHost(client: EppClient, name: string, call: Call): Promise<void> {
  const command = element('create', {}, hostElement('create', [element('host:name', {}, name)]))
  await client.send(() => ({ command }), call)
}

function hostElement(name: string, content: readonly Markup[]): Markup {
  return element(`host:${name}`, { 'xmlns:host': HOST }, content)
}
