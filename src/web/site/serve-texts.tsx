import type { FastifyInstance } from 'fastify'
import MarkdownIt from 'markdown-it'
import { TEXT_NAMES, type TextName } from '../../core/brand.ts'
import type { AppContext } from '../../core/context.ts'
import { readSession } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { Notice } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import { STANDARD_TEXTS } from './standard-texts.tsx'

// HTML in a text is shown as text, and links that run something are none.
const markdown = new MarkdownIt({ html: false })

const TITLES: Record<TextName, string> = {
  about: 'About',
  contact: 'Contact',
  terms: 'Terms of sale',
  privacy: 'Privacy',
}

/** Who runs the marketplace and by which rules: the operator's own texts, or those that ship. */
export function serveTexts(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { brand, clock } = app
  const elsewhere: Partial<Record<TextName, string | null>> = {
    terms: brand.termsUrl,
    privacy: brand.privacyUrl,
  }

  for (const name of TEXT_NAMES) {
    const text = brand.texts[name]
    const html = text === undefined ? null : markdown.render(text)
    const Standard = STANDARD_TEXTS[name]
    fastify.get(`/${name}`, { config: { page: true } }, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      const url = elsewhere[name]
      if (url) return reply.redirect(url, 302)
      const session = await readSession(request, app)
      return sendPage(
        reply,
        {
          title: TITLES[name],
          wide: true,
          viewer: session?.user ?? null,
          description: `${TITLES[name]}: ${brand.name}, a marketplace for domain names.`,
        },
        html === null ? (
          <article class="text">
            <Notice kind="info">
              This is the standard text of the software that {brand.name} runs on. Its operator has
              not replaced it with a text of its own.
            </Notice>
            <Standard site={brand} />
          </article>
        ) : (
          <article class="text">
            {!/<h1>/.test(html) && <h1>{TITLES[name]}</h1>}
            <div dangerouslySetInnerHTML={{ __html: html }} />
          </article>
        ),
      )
    })
  }
}
