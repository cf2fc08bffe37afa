import GithubSlugger from 'github-slugger'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import MarkdownIt from 'markdown-it'

const LANGUAGES = { bash, http, ini, javascript, json, php, python, sql }
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)
hljs.registerAliases('sh', { languageName: 'bash' })

/** What lies under a heading, up to the next one. */
interface Section {
  id: string
  title: string
  level: number
  /** Without marks, for searching. */
  text: string
}

export interface Rendered {
  title: string
  html: string
  sections: Section[]
}

/** Where a link of a document leads on the site; null for what is not there, which stays plain text. */
export type Resolve = (target: string) => string | null

// HTML in a document is shown as text, and links that run something are none: nothing of it needs trust.
const markdown = new MarkdownIt({ html: false })

type Token = ReturnType<typeof markdown.parse>[number]

// What is wider than the page scrolls by itself, with the keyboard too.
markdown.renderer.rules.table_open = (tokens, index) => {
  const name = markdown.utils.escapeHtml(String(tokens[index]?.attrGet('aria-label')))
  return `<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table>\n`
}
markdown.renderer.rules.table_close = () => '</table></div>\n'
markdown.renderer.rules.fence = (tokens, index) => {
  const { content = '', info = '' } = tokens[index] ?? {}
  return codeBlock(content, info.trim().split(/\s/)[0] ?? '')
}
markdown.renderer.rules.code_block = (tokens, index) => codeBlock(tokens[index]?.content ?? '', '')
markdown.renderer.rules.heading_open = (tokens, index) => {
  const { tag = 'h2', attrs } = tokens[index] ?? {}
  const [[, id] = []] = attrs ?? []
  return `<${tag} id="${id}"><a href="#${id}">`
}
markdown.renderer.rules.heading_close = (tokens, index) => `</a></${tokens[index]?.tag}>\n`

/** Code as it is shown everywhere in the documents, with colours where its language is known. */
export function codeBlock(code: string, language: string): string {
  const inner = highlighted(code, language) || markdown.utils.escapeHtml(code)
  return `<pre tabindex="0"><code>${inner}</code></pre>\n`
}

function highlighted(code: string, language: string): string {
  if (!hljs.getLanguage(language)) return ''
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}

/** A document as HTML, with the anchors that GitHub gives its headings. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const slugger = new GithubSlugger()
  const tokens = markdown.parse(text, {})
  const sections: Section[] = []
  const kept: boolean[] = []
  const tables = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1])
      const section = {
        id: slugger.slug(title),
        title,
        level: Number(token.tag.slice(1)),
        text: '',
      }
      token.attrSet('id', section.id)
      sections.push(section)
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      addText(plainText(token))
    } else if (token.type === 'table_open') {
      // Two regions of one name could not be told apart.
      const title = `Table: ${sections.at(-1)?.title ?? 'the page'}`
      const count = (tables.get(title) ?? 0) + 1
      tables.set(title, count)
      token.attrSet('aria-label', count === 1 ? title : `${title} (${count})`)
    } else if (/^t[hd]_open$/.test(token.type)) {
      // The page's own policy allows no style of an element.
      token.attrs = String(token.attrGet('style')).includes('right') ? [['class', 'end']] : null
    } else if (token.type === 'fence' || token.type === 'code_block') addText(token.content)
    token.children = token.children?.filter(keep) ?? null
  }
  return {
    title: sections[0]?.title ?? '',
    html: markdown.renderer.render(tokens, markdown.options, {}),
    sections,
  }

  function addText(more: string): void {
    const section = sections.at(-1)
    if (section) section.text += `${more}\n`
  }

  /** Leads links to where the site has their targets; images are for readers of the files. */
  function keep(token: Token): boolean {
    if (token.type === 'image') return false
    if (token.type === 'link_close') return kept.pop() ?? true
    if (token.type !== 'link_open') return true
    const target = resolve(String(token.attrGet('href')))
    if (target !== null) token.attrSet('href', target)
    kept.push(target !== null)
    return target !== null
  }
}

function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('')
}
