import type { Answer } from './wire.ts'

/** What the service does otherwise. */
export class Failure extends Error {}
/** Why a check could not run. */
export class Skipped extends Error {}

export function expectThat(isSo: unknown, otherwise: string): void {
  if (!isSo) throw new Failure(otherwise)
}

/** @param code of the one error shape, `{"error": {"code"}}` */
export function expectStatus(answer: Answer, status: number, code?: string): Answer {
  const got = answer.body?.error?.code
  if (answer.status === status && (code === undefined || got === code)) return answer
  const told = typeof got === 'string' ? ` ${got}` : code && ' without error.code'
  const wanted = code === undefined ? status : `${status} ${code}`
  throw new Failure(
    `${answer.operation} responded ${answer.status}${told ?? ''} instead of ${wanted}`,
  )
}

/** A 409 that says which conflict it is. */
export function expectConflict(answer: Answer, ...reasons: string[]): Answer {
  const { details } = expectStatus(answer, 409, 'conflict').body.error
  return expectThatOf(
    answer,
    reasons.includes(details?.reason),
    `error.details.reason is ${shown(details?.reason)} instead of ${reasons.join(' or ')}`,
  )
}

/** The form of RFC 6749, 5.2 and RFC 7591, 3.2.2. */
export function expectOAuthError(answer: Answer, status: number, ...codes: string[]): Answer {
  const { status: got, body } = answer
  return expectThatOf(
    answer,
    got === status && codes.includes(body?.error),
    `the response is ${got} with the error ${shown(body?.error)} instead of ${status} with "${codes.join('" or "')}"`,
  )
}

/** @param path such as `error.details.reason` */
export function expectField(answer: Answer, path: string, wanted: unknown): Answer {
  let value = answer.body
  for (const name of path.split('.')) value = value?.[name]
  return expectThatOf(
    answer,
    value === wanted,
    `${path} is ${shown(value)} instead of ${shown(wanted)}`,
  )
}

export function expectThatOf(answer: Answer, isSo: unknown, otherwise: string): Answer {
  expectThat(isSo, `${answer.operation}: ${otherwise}`)
  return answer
}

/** That what a partner or a client of OAuth is answered stays theirs. */
export function expectUncached(answer: Answer): void {
  const { 'cache-control': cache = '' } = answer.headers
  const isShared = /public|s-maxage|max-age=[1-9]/.test(cache) && !/private|no-store/.test(cache)
  expectThatOf(answer, !isShared, `Cache-Control is "${cache}", which lets others keep it`)
}

export const shown = (value: unknown) => (value === undefined ? 'missing' : JSON.stringify(value))

type Is = (value: unknown) => boolean
export type Shape = Record<string, Is>

export const text: Is = (value) => typeof value === 'string' && value !== ''
export const whole: Is = (value) => Number.isInteger(value)
export const flag: Is = (value) => typeof value === 'boolean'
export const time: Is = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/.test(value)
export const list: Is = (value) => Array.isArray(value)
export const idOf =
  (prefix: string): Is =>
  (value) =>
    typeof value === 'string' && value.startsWith(prefix)
export const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value)

/** @param what whose fields they are, such as `an entry of GET /orders` */
export function expectShape(value: Record<string, unknown>, shape: Shape, what: string): void {
  for (const [field, is] of Object.entries(shape)) {
    const told = value?.[field]
    expectThat(is(told), `${what}: ${field} is ${shown(told)}`)
  }
}
