import type { z } from 'zod'
import type { AdminRead } from '../../core/operation.ts'
import {
  foundOr,
  inputOfList,
  type ListPage,
  type RowsKey,
  renderList,
} from '../components/list-page.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { EnvironmentTabs } from './parts.tsx'

type Rest = Omit<ConsolePage, 'path' | 'title' | 'render'>

/** A page of the console that lists what an operation of the admin API does. */
export function listPage<
  I extends z.ZodObject,
  O extends z.ZodType,
  Key extends RowsKey<z.output<O>>,
>(list: ListPage<ConsoleContext, I, O, Key> & { operation: AdminRead<I, O> } & Rest): ConsolePage {
  const { operation, title, path } = list
  const isOfOne = 'environment' in operation.input.shape
  return {
    ...('of' in operation.roles ? {} : { roles: operation.roles }),
    ...list,
    async render(page) {
      const input = {
        ...(isOfOne && { environment: page.environment }),
        ...inputOfList(list, page),
      }
      const [found, problem] = await foundOr(() => page.read(operation, input))
      const tabs = isOfOne ? <EnvironmentTabs page={page} path={path} /> : undefined
      return {
        title,
        problem,
        environment: isOfOne ? page.environment : undefined,
        body: await renderList(list, page, found, problem, tabs),
      }
    },
  }
}
