import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { toApiError } from '../../http/api-errors.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { type PageOptions, pageHeaders, renderPage } from './frame.tsx'

/** Nobody can write it into a page, since nobody knows it. */
const CUT = randomUUID()

/**
 * Sends a page whose responses are not known yet: what is known goes out at once, and each part as soon as
 * it is there, into the place that `StreamedParts` keeps for it. It needs no script.
 */
export function streamPage(
  reply: FastifyReply,
  options: PageOptions,
  body: VNode,
  parts: AsyncIterable<VNode>,
): FastifyReply {
  const [before = '', after = ''] = renderPage(reply, options, body).split(CUT)
  return reply
    .code(options.status ?? 200)
    .headers(pageHeaders(reply, options))
    .send(Readable.from(html()))

  async function* html(): AsyncGenerator<string> {
    yield before
    try {
      for await (const part of parts) yield render(part)
    } catch (error) {
      // The status has gone out: what can still be said is said on the page.
      const problem = toApiError(error)
      if (problem.status >= 500) reply.log.error({ err: error }, 'page: it broke off')
      yield render(<Notice kind="error">{errorText(problem)}</Notice>)
    }
    yield after
  }
}

/**
 * Where the parts of a streamed page go. `waiting` holds a `Place` for each, in the order to be seen in;
 * parts name theirs by the attribute `slot`. Browsers that know no declarative shadow roots show the parts
 * in the order in which they come.
 */
export function StreamedParts({ waiting }: { waiting: ComponentChildren }) {
  return (
    <div class="answers">
      <template {...{ shadowrootmode: 'open' }}>{waiting}</template>
      {CUT}
    </div>
  )
}

/** The place of a part, and what stands there until it comes. */
export function Place({
  name,
  role,
  children,
}: {
  name: string
  /** Of what stands there until then, such as a row of a list. */
  role?: 'listitem'
  children?: ComponentChildren
}) {
  return (
    <slot name={name}>
      <div part="waiting" role={role}>
        {children}
      </div>
    </slot>
  )
}
