import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { freshName } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** How the samples of each language are run, and checked without running them. */
const LANGUAGES = {
  curl: {
    file: 'sample.sh',
    needs: ['bash', 'curl', 'openssl'],
    run: 'bash',
    check: ['bash', '-n'],
  },
  typescript: { file: 'sample.mjs', needs: ['node'], run: 'node', check: ['node', '--check'] },
  python: {
    file: 'sample.py',
    needs: ['python3'],
    run: 'python3',
    check: ['python3', '-c', 'import ast, sys; [ast.parse(open(f).read()) for f in sys.argv[1:]]'],
  },
  php: { file: 'sample.php', needs: ['php'], run: 'php', check: ['php', '-l'] },
} as const
type Language = keyof typeof LANGUAGES

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'samples-'))
  await cp(join(ROOT, 'examples'), folder, { recursive: true })
  // As a reader has it who installed the client.
  const installed = join(folder, 'node_modules', 'domain-marketplace-client')
  await mkdir(installed, { recursive: true })
  await symlink(join(ROOT, 'client', 'src'), join(installed, 'src'))
  const main = { type: 'module', exports: { '.': './src/index.ts' } }
  await writeFile(join(installed, 'package.json'), JSON.stringify(main))
}, 60_000)
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The samples on a page of the reference, by operation and language, as a reader copies them. */
async function samplesOn(path: string): Promise<Map<string, Map<Language, string>>> {
  const { text } = await service.send({ method: 'GET', target: path })
  const articles = text.split('<article id="').slice(1)
  return new Map(
    articles.map((article) => {
      const panels = article.matchAll(
        /<div class="panel-(\w+)"><pre[^>]*><code>([\s\S]*?)<\/code>/g,
      )
      const samples = [...panels].map(
        ([, language, html = '']) => [language, textOf(html)] as const,
      )
      return [article.slice(0, article.indexOf('"')), new Map(samples as [Language, string][])]
    }),
  )
}

function textOf(html: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#x27': "'" }
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(#x27|\w+);/g, (whole, name) => entities[name] ?? whole)
}

async function areas(): Promise<string[]> {
  const { text } = await service.send({ method: 'GET', target: '/docs/reference' })
  return [
    ...new Set([...text.matchAll(/href="(\/docs\/reference\/[\w-]+)"/g)].map(([, to = '']) => to)),
  ]
}

describe.each(Object.entries(LANGUAGES) as [Language, (typeof LANGUAGES)[Language]][])(
  'the samples in %s',
  (language, { file, needs, run: program, check }) => {
    // A machine without the language cannot try them.
    const isThere = needs.every((needed) => spawnSync('which', [needed]).status === 0)
    const trying = test.skipIf(!isThere)

    trying('are all well-formed', { timeout: 120_000 }, async () => {
      const [command, ...rest] = check
      const files: string[] = []
      for (const area of await areas()) {
        for (const [operation, samples] of await samplesOn(area)) {
          const code = samples.get(language)
          if (code === undefined) continue
          const path = join(folder, `${operation}-${file}`)
          await writeFile(path, code)
          files.push(path)
        }
      }
      expect(files.length).toBeGreaterThan(50)
      // Python reads all of them at once; the others take one file.
      const runs = language === 'python' ? [files] : files.map((one) => [one])
      for (const these of runs) await run(command, [...rest, ...these])
    })

    trying(
      'sell a domain, register a webhook and list statements',
      { timeout: 120_000 },
      async () => {
        const partner = await service.partner()
        const domain = await freshName(service)
        const { price_cents } = (await partner.get(`/domains/${domain}`)).body
        const made = { 'petpantry.test': domain, '129500': String(price_cents) }

        await works('/docs/reference/search', 'search_domains', partner)
        await works('/docs/reference/quotes', 'create_quote', partner, made)
        const { body: quote } = await partner.post('/quotes', { domain })
        await works('/docs/reference/orders', 'create_order', partner, {
          ...made,
          qt_01k8zd6y3vj5r2m4n6p8q0s1t3: quote.quote_id,
        })
        const { orders } = (await partner.get('/orders')).body
        expect(orders).toMatchObject([{ domain, status: 'EXTERNALLY_PAID' }])
        await works('/docs/reference/events', 'register_webhook', partner, {
          'https://partner.example/webhooks': 'http://127.0.0.1:9/webhooks',
        })
        await works('/docs/reference/settlements', 'list_settlements', partner)
      },
    )

    /** Runs a sample with what the reader would have in place of its examples. */
    async function works(
      page: string,
      operation: string,
      { credential }: PartnerClient,
      values: Record<string, string> = {},
    ): Promise<void> {
      const sample = (await samplesOn(page)).get(operation)?.get(language) ?? ''
      const code = Object.entries(values).reduce(
        (text, [example, value]) => text.replaceAll(example, value),
        sample,
      )
      expect(code, operation).not.toBe('')
      await writeFile(join(folder, file), code)
      const args =
        language === 'typescript'
          ? ['--import', join(ROOT, 'node_modules/tsx/dist/loader.mjs')]
          : []
      const { stdout } = await run(program, [...args, file], {
        cwd: folder,
        env: {
          ...process.env,
          SERVICE_URL: service.baseUrl,
          SERVICE_KEY_ID: credential.key_id,
          SERVICE_SECRET: credential.secret,
        },
      })
      expect(stdout, operation).not.toBe('')
      expect(stdout, operation).not.toContain('request_id')
    }
  },
)

test('the samples in TypeScript fit the types of the client', { timeout: 120_000 }, async () => {
  const typed = join(folder, 'typed')
  await mkdir(typed)
  await cp(join(folder, 'market.mjs'), join(typed, 'market.mts'))
  for (const area of await areas()) {
    for (const [operation, samples] of await samplesOn(area)) {
      await writeFile(join(typed, `${operation}.mts`), samples.get('typescript') ?? '')
    }
  }
  const config = {
    extends: join(ROOT, 'client/tsconfig.json'),
    compilerOptions: {
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: ['*.mts'],
  }
  await writeFile(join(typed, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const said = await run(process.execPath, [tsc, '-p', typed]).catch((error) => error)
  expect(said.stdout).toBe('')
})
