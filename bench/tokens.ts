import { sha256 } from '../src/lib/signature.ts'
import { ROOT, startBareServer, startService, withContenders } from './contenders.ts'
import { measureInTurn, type Series } from './measure.ts'
import { linesOf, report } from './report.ts'
import type { Suite } from './suite.ts'

const CLIENTS = 64
const VERIFIER = 'v'.repeat(43)

/** POST /api/oauth/token: codes that users have just granted are exchanged. */
export const tokens: Suite = async ({ field, load, options, against }) => {
  const connections = String(options.saleConnections)
  const starting = [
    startBareServer('bare', 'bare-tokens.ts', { CONNECTIONS: connections }, field),
    startService('ours', ROOT, field),
    ...against.map((root) => startService('against', root, field)),
  ]
  await withContenders(starting, async (contenders) => {
    const count = Math.ceil(options.requests / 4)
    const series = contenders.map(
      (contender): Series => ({
        workload: 'token exchange',
        who: contender.name,
        size: count * (options.rounds + 1),
        contender,
        batch: (round) => ({ kind: 'verbatim', count, requests: exchanges(round, count) }),
        expect: 200,
      }),
    )
    for (const { database, port } of contenders) {
      await database.client.query(
        `with clients as (
          insert into oauth_clients (client_id, kind, name, redirect_uris, created_at, last_used_at)
          select 'app-' || n, 'registered', 'Bench', '{https://app.example/cb}', now(), now()
          from generate_series(0, ${CLIENTS - 1}) as n
        ), users as (
          insert into users (id, email, password_hash, is_operator, created_at)
          values ('usr_bench', 'bench@example.com', '', false, now())
        )
        select 1`,
      )
      for (let round = 0; round <= options.rounds; round += 1) {
        await database.client.query(
          `with granted as (
            insert into oauth_grants (id, client_id, user_id, scope, resource, created_at, last_used_at)
            select 'grt_' || $1 || '_' || n, 'app-' || n % ${CLIENTS}, 'usr_bench', 'pricing:read',
              $4, now(), now()
            from generate_series(0, $2 - 1) as n
          )
          insert into oauth_codes (code_hash, grant_id, redirect_uri, code_challenge, expires_at)
          select sha256(convert_to('mkt_code_' || $1 || '_' || n, 'UTF8')), 'grt_' || $1 || '_' || n,
            'https://app.example/cb', $3, now() + interval '1 hour'
          from generate_series(0, $2 - 1) as n`,
          [
            String(round),
            count,
            sha256(VERIFIER).toString('base64url'),
            `http://localhost:${port}`,
          ],
        )
      }
      await database.client.query('vacuum analyze')
    }
    const lines = linesOf(await measureInTurn(load, series, options))
    report('tokens', 'POST /api/oauth/token: bare is node:http and one statement', lines)
  })
}

function exchanges(round: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: `app-${index % CLIENTS}`,
      code: `mkt_code_${round}_${index}`,
      code_verifier: VERIFIER,
      redirect_uri: 'https://app.example/cb',
    }).toString()
    const head = [
      'POST /api/oauth/token HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    return `${head.join('\r\n')}\r\n\r\n${body}`
  })
}
