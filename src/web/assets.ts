import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The parts of Open Props that `assets/styles/tokens.css` draws from. */
const PROPS = ['sizes', 'fonts', 'borders', 'shadows', 'gray', 'blue', 'green', 'orange', 'red']
const STYLES = [
  'tokens',
  'base',
  'layout',
  'components',
  'pages',
  'market',
  'docs',
  'account',
  'console',
  'print',
]
const FOLDER = new URL('../../assets/', import.meta.url)

/** A file of ours under an address that changes with its content, so that browsers keep it for good. */
interface Asset {
  path: string
  address: string
  type: string
  plain: Buffer
  brotli: Buffer
  gzip: Buffer
}

const style = asset(
  '/pages/style.css',
  'text/css; charset=utf-8',
  [
    ...PROPS.map((name) => createRequire(import.meta.url).resolve(`open-props/${name}.min.css`)),
    ...STYLES.map((name) => new URL(`styles/${name}.css`, FOLDER)),
  ]
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n'),
)
const scripts = new Map(
  readdirSync(new URL('scripts/', FOLDER))
    .filter((file) => file.endsWith('.js'))
    .map((file) => {
      const text = readFileSync(new URL(`scripts/${file}`, FOLDER), 'utf8')
      return [file, asset(`/pages/${file}`, 'text/javascript; charset=utf-8', text)] as const
    }),
)

export const styleAddress = style.address

/** Where a page finds the script `assets/scripts/{name}.js`. */
export function scriptAddress(name: string): string {
  const script = scripts.get(`${name}.js`)
  if (!script) throw new Error(`there is no script ${name}.js in assets/scripts`)
  return script.address
}

/** What all pages share. Small, compressed once, and told apart by content: not worth a count of requests. */
export function serveAssets(fastify: FastifyInstance): void {
  for (const { path, type, address, plain, brotli, gzip } of [style, ...scripts.values()]) {
    fastify.get(path, async (request, reply) => {
      const accepts = request.headers['accept-encoding'] ?? ''
      const [encoding, bytes] = /\bbr\b/.test(accepts)
        ? ['br', brotli]
        : /\bgzip\b/.test(accepts)
          ? ['gzip', gzip]
          : [undefined, plain]
      const isCurrent = request.url === address
      return reply
        .headers({
          'content-type': type,
          ...(encoding && { 'content-encoding': encoding }),
          vary: 'accept-encoding',
          'cache-control': `public, max-age=${isCurrent ? '31536000, immutable' : '300'}`,
        })
        .send(bytes)
    })
  }
}

/** The best encoding that the client takes. */
export function encodingFor({ headers }: FastifyRequest): 'br' | 'gzip' | 'identity' {
  const accepts = headers['accept-encoding'] ?? ''
  if (/\bbr\b/.test(accepts)) return 'br'
  return /\bgzip\b/.test(accepts) ? 'gzip' : 'identity'
}

function asset(path: string, type: string, text: string): Asset {
  const plain = Buffer.from(text)
  const version = createHash('sha256').update(plain).digest('base64url').slice(0, 12)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  return {
    path,
    address: `${path}?v=${version}`,
    type,
    plain,
    brotli: brotliCompressSync(plain, { params }),
    gzip: gzipSync(plain, { level: 9 }),
  }
}
