import type { KnownErrorCode } from './generated/error-codes.ts'
import type { operations as PartnerOperations } from './generated/partner.ts'
import type { operations as PublicOperations } from './generated/public.ts'

/** Every operation of both APIs, by its name in the OpenAPI documents. */
type Operations = PartnerOperations & PublicOperations

/** Those that are called; an event is delivered the other way. */
export type OperationName = Exclude<keyof Operations, 'deliver_event'>

type Content<T> = T extends { content: { 'application/json': infer Body } } ? Body : never
type Success<R> = Content<R[keyof R & (200 | 201 | 202)]>
type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Body
  : unknown
type ParametersOf<O> = O extends { parameters: { path?: infer Path; query?: infer Query } }
  ? Given<Path> & Given<Query>
  : unknown
type Flat<T> = { [K in keyof T]: T[K] }

/** What an operation takes: the parameters of its path and query, and the fields of its body, together. */
export type Input<Name extends OperationName> = Flat<
  ParametersOf<Operations[Name]> & BodyOf<Operations[Name]>
>

/** What an operation answers. */
export type Output<Name extends OperationName> = Success<Operations[Name]['responses']>

/** The code of a refusal; more may be added, so have a branch for those that you do not know. */
export type ErrorCode = KnownErrorCode | (string & {})

export interface FieldIssue {
  field: string
  issue: string
}
