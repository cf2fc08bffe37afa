import type { FastifyInstance, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { ApiError } from '../core/errors.ts'

/** What a path serves, and in which form it rejects when that is its own. */
interface Served extends Pick<RouteOptions, 'errorHandler'> {
  methods: readonly HTTPMethods[]
  /** Where it is served: what its other methods get is that API's own. */
  scope: FastifyInstance
}

/**
 * Watches which paths are served. What it returns is called once all are there: then any other method on
 * them gets 405 with `Allow`. Methods that no path here serves, such as PROPFIND, stay 404: to route them too
 * would cost every start .2 s and 17 MB.
 */
export function watchMethods(
  fastify: FastifyInstance,
  count: (request: FastifyRequest) => Promise<void>,
): () => void {
  const paths = new Map<string, Served>()
  fastify.addHook('onRoute', function ({ url, method, errorHandler }) {
    const { methods, ...served } = paths.get(url) ?? { methods: [], scope: this }
    paths.set(url, {
      ...served,
      methods: [...new Set([...methods, method].flat())],
      ...(errorHandler && { errorHandler }),
    })
  })

  function rejectOthers(url: string, { methods, scope, ...served }: Served): void {
    const allow = methods.join(', ')
    scope.route({
      ...served,
      method: scope.supportedMethods.filter((method) => !methods.includes(method)),
      url: url.slice(scope.prefix.length),
      exposeHeadRoute: false,
      // Before the framework looks at the body: it has its own mind about that of a QUERY.
      onRequest: async (request, reply) => {
        await count(request)
        reply.header('Allow', allow)
        throw new ApiError('method_not_allowed', `This path serves ${allow}.`)
      },
      handler: async () => {},
    })
  }

  return () => {
    // Registered, so that it comes after what other plugins registered.
    fastify.register(async () => {
      for (const [url, served] of new Map(paths)) rejectOthers(url, served)
    })
  }
}
