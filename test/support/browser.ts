import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Debian's; another one by CHROMIUM. Without a browser the browser's tests are left out. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const HAS_BROWSER = existsSync(CHROMIUM)

/** WCAG 2.2 to its level AA, and what axe knows beyond it, such as the order of headings. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

export async function openBrowser(...args: string[]): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...args] })
}

/** What axe finds wrong on the page as it stands; the tool comes in past the page's own policy. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          document: unknown,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const { document } = globalThis as unknown as { document: unknown }
    const { violations } = await axe.run(document, { runOnly: tags })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)
  }, RULES)
}
