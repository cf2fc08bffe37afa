import { lookup } from 'node:dns/promises'
import { connect } from 'node:tls'
import { createGuardedHttp, isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import { errors, request } from 'undici'
import { alertPolicy, type Settings } from '../../core/settings.ts'
import { createPayments } from '../../domain/payments/registry.ts'
import { DAY, SECOND, systemClock } from '../../lib/clock.ts'
import { createDns } from '../../lib/dns.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { localAddress } from '../../lib/local-address.ts'
import { type Finding, finding } from './finding.ts'

const service = finding('service')
const TIMEOUT_MS = 5 * SECOND
const TIMEOUTS = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS }
const MISDIRECTED = 421
const RENEW_BEFORE_MS = 14 * DAY
/** Every resolver that works knows it. */
const KNOWN_ZONE = 'com'
/** Whose list says where the registries are. */
const REGISTRIES_HOST = 'data.iana.org'

export async function checkPayments(settings: Settings): Promise<Finding[]> {
  const { ok, warning, problem } = finding('payments')
  const { all } = await createPayments(settings, systemClock)
  const problems = await Promise.all(all.map((provider) => provider.problems(settings.baseUrl)))
  const found = problems.flat().map(problem)
  if (settings.paymentProvider === 'none') {
    found.push(
      warning('No payment provider is set: live checkouts are closed, and only partners sell.'),
    )
  }
  return found.length > 0 ? found : [ok(all.map(({ label }) => label).join(' and '))]
}

/** Whether the receiver of alerts is reached as alerts reach it; it is sent none. */
export async function checkAlerts({ alerts, baseUrl }: Settings): Promise<Finding[]> {
  if (!alerts.webhook) return []
  const { ok, problem } = finding('alerts')
  const { url } = alerts.webhook
  const http = createGuardedHttp()
  const look = { method: 'HEAD', headers: {}, timeoutMs: TIMEOUT_MS, maxBodyBytes: 0, peek: true }
  try {
    await http.request(url, alertPolicy(baseUrl), look)
    return [ok(`${new URL(url).host} responds`)]
  } catch (error) {
    return [problem(`The receiver of ALERT_WEBHOOK_URL is not reached: ${errorMessage(error)}`)]
  } finally {
    await http.close()
  }
}

export async function checkDns({ dnsServers, baseUrl, registry }: Settings): Promise<Finding[]> {
  const { ok, warning, problem } = finding('DNS')
  const found: Finding[] = []
  for (const server of dnsServers) {
    if ((await createDns([server]).nameservers(KNOWN_ZONE)) === null) {
      found.push(problem(`The name server ${server} of DNS_SERVERS does not respond.`))
    }
  }
  const { hostname } = new URL(baseUrl)
  try {
    if (!isLoopbackUrl(baseUrl)) await lookup(hostname)
  } catch {
    found.push(problem(`The host of BASE_URL, ${hostname}, has no address in DNS.`))
  }
  try {
    if (registry === 'live') await lookup(REGISTRIES_HOST)
  } catch {
    found.push(
      warning(
        `${REGISTRIES_HOST}, which lists the registries, has no address in DNS: with REGISTRY=live they must be reached.`,
      ),
    )
  }
  const resolved = registry === 'live' ? `${hostname} and ${REGISTRIES_HOST}` : hostname
  return found.length > 0 ? found : [ok(`addresses are known of ${resolved}`)]
}

/** Whether the collector of traces and metrics responds; it is sent none. */
export async function checkCollector({ telemetry }: Settings): Promise<Finding[]> {
  if (!telemetry) return []
  const { ok, warning } = finding('OpenTelemetry')
  const silence = await silenceOf(telemetry.endpoint)
  return [
    silence === null
      ? ok(`${new URL(telemetry.endpoint).host} responds`)
      : warning(`The collector of OTEL_EXPORTER_OTLP_ENDPOINT does not respond: ${silence}`),
  ]
}

/** Why nothing responds at an address; null when anything does. */
export async function silenceOf(url: string): Promise<string | null> {
  try {
    const { body } = await request(url, { ...TIMEOUTS, method: 'HEAD' })
    await body.dump()
    return null
  } catch (error) {
    return errorMessage(error)
  }
}

/** The certificate of BASE_URL, as a browser judges it. */
export async function checkTls({ baseUrl }: Settings): Promise<Finding[]> {
  const { ok, warning, problem } = finding('TLS')
  const { protocol, hostname, port } = new URL(baseUrl)
  if (protocol !== 'https:') return []
  return await new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname })
    const end = (result: Finding) => {
      socket.destroy()
      resolve([result])
    }
    socket.setTimeout(TIMEOUT_MS, () => end(problem(`Nothing responds at ${baseUrl} in time.`)))
    socket.once('error', (error) => {
      end(
        isElsewhere(baseUrl, error)
          ? warning(
              `Nothing listens at ${baseUrl} here, as in a container: its certificate was not checked.`,
            )
          : problem(`A browser would not open ${baseUrl}: ${errorMessage(error)}`),
      )
    })
    socket.once('secureConnect', () => {
      const ends = new Date(socket.getPeerCertificate().valid_to)
      const left = ends.getTime() - systemClock.now().getTime()
      const day = ends.toISOString().slice(0, 10)
      end(
        left < RENEW_BEFORE_MS
          ? warning(`The certificate of ${baseUrl} ends on ${day}: nothing has renewed it yet.`)
          : ok(`the certificate of ${baseUrl} is valid until ${day}`),
      )
    })
  })
}

/** In a container, this machine is another than the one whose proxy has a loopback `BASE_URL`. */
function isElsewhere(baseUrl: string, error: unknown): boolean {
  return isLoopbackUrl(baseUrl) && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
}

/** Whether what responds at BASE_URL, or where the service itself listens, is the service, and ready. */
export async function checkService({ baseUrl, host, port }: Settings): Promise<Finding[]> {
  const own = localAddress(host, port)
  return [
    await checkServiceAt(baseUrl).catch((error: unknown) => {
      if (own === baseUrl || !isElsewhere(baseUrl, error)) return notThere(baseUrl, error)
      return checkServiceAt(own).catch((notOwn: unknown) => notThere(own, notOwn))
    }),
  ]
}

async function checkServiceAt(url: string): Promise<Finding> {
  const ready = await get(`${url}/health/ready`)
  if (ready.statusCode !== 200 || !ready.text.includes('"database"')) {
    return service.problem(
      `What responds at ${url}/health/ready is not this service, or it is not ready (${ready.statusCode}).`,
    )
  }
  // Unlike health, it is served for the market's own host alone.
  const { statusCode } = await get(`${url}/.well-known/jwks.json`)
  if (statusCode === MISDIRECTED) {
    return service.problem(
      `The proxy at ${url} passes another Host on, so that pages get 421: let it pass on the one that it was asked for (nginx: \`proxy_set_header Host $host\`).`,
    )
  }
  return service.ok(`responds at ${url}`)
}

async function get(url: string): Promise<{ statusCode: number; text: string }> {
  const { statusCode, body } = await request(url, TIMEOUTS)
  return { statusCode, text: await body.text() }
}

/** Whatever listens there and does not speak HTTP as a service does is another program. */
function notThere(url: string, error: unknown): Finding {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof errors.HTTPParserError || error instanceof errors.SocketError) {
    return service.problem(
      `What responds at ${url} is another program. Let BASE_URL name the service; if that has no port of its own, set PORT to a free one.`,
    )
  }
  return service.warning(
    `Nothing responds at ${url} (${code ?? errorMessage(error)}): not started?`,
  )
}
