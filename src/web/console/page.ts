import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { z } from 'zod'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { ApiError } from '../../core/errors.ts'
import type { AdminRead, AdminWrite } from '../../core/operation.ts'
import type { Roles } from '../../core/roles.ts'
import type { readCounts } from '../../http/admin/overview.ts'
import type { PageContext } from '../layout/page-context.ts'
import type { Query } from '../layout/query.ts'
import type { Upload } from '../layout/upload.ts'

/** One request of an operator for one page. */
export interface ConsoleContext extends PageContext {
  app: AppContext
  /** The environment that the page is about. */
  environment: Environment
  base: ''
  kept: Query
  /** A form of the page that was rejected, by the name of its operation. */
  rejected: { does: string; error: ApiError; form: URLSearchParams } | null
  /** What the page's form has created, where it is shown this once. */
  made: VNode | null
  /** Runs an operation of the admin API that changes nothing. */
  read<I extends z.ZodObject, O extends z.ZodType>(
    operation: AdminRead<I, O>,
    fields?: Record<string, unknown>,
  ): Promise<z.output<O>>
  /** Runs an operation of the admin API for a form that is no action of the page. */
  write<I extends z.ZodObject, O extends z.ZodType>(
    operation: AdminWrite<I, O>,
    input: () => z.output<I>,
  ): Promise<z.output<O>>
  /** A path of the console, in the same environment. */
  href(path: string, query?: Query): string
}

interface Shown {
  title: string
  body: VNode
  /** Of what the page shows; absent: of both. */
  environment?: Environment | undefined
  /** Why a filter was rejected; the page has the error's status. */
  problem?: ApiError | undefined
}

/** What a form of the console does: an operation of the admin API, and what is said of its response. */
export interface Action<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  operation: AdminWrite<I, O>
  /** Said once on the page that follows. */
  done?(result: z.output<O>): string
  /** The page that follows; absent: the form's own. */
  to?(result: z.output<O>): string
  /** Shown on the page itself instead, where the response holds a secret. */
  show?(result: z.output<O>): VNode
  /** Fields that are taken away by leaving them empty. */
  emptied?: readonly string[]
}

export function action<I extends z.ZodObject, O extends z.ZodType>(given: Action<I, O>): Action {
  return given
}

/** A page of the console. Its forms go to its own address, each naming the operation that it runs. */
export interface ConsolePage {
  path: string
  /** The words of its link in the navigation. */
  title: string
  actions?: readonly Action[]
  render(page: ConsoleContext): Promise<Shown>
  /** Whom its link is shown to; absent: admins. */
  roles?: Roles
  /** How many things wait here for an operator. */
  waiting?(counts: Awaited<ReturnType<typeof readCounts>>): number
  /** Takes a file in; what is wrong with it is said on the page. */
  upload?(page: ConsoleContext, upload: Upload): Promise<FastifyReply>
  /** Files to download, by their paths. */
  files?: Readonly<Record<string, (page: ConsoleContext) => Promise<FastifyReply>>>
  /** Pages that belong to this one, without a link of their own in the navigation. */
  below?: readonly Omit<ConsolePage, 'waiting' | 'below' | 'roles'>[]
}
