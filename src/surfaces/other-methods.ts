import type { FastifyInstance, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { Refusal } from '../kernel/errors.ts'

/** What a path serves, and in which form it refuses when that is its own. */
interface Served extends Pick<RouteOptions, 'errorHandler'> {
  methods: readonly HTTPMethods[]
}

/**
 * Watches which paths are served. What it answers is called once all are there: then any other method on
 * them gets 405 with `Allow`. Methods that no path here serves, such as PROPFIND, stay 404: to route them too
 * would cost every start .2 s and 17 MB.
 */
export function watchMethods(
  app: FastifyInstance,
  count: (request: FastifyRequest) => Promise<void>,
): () => void {
  const paths = new Map<string, Served>()
  app.addHook('onRoute', ({ url, method, errorHandler }) => {
    const { methods, ...served } = paths.get(url) ?? { methods: [] }
    paths.set(url, {
      ...served,
      methods: [...new Set([...methods, method].flat())],
      ...(errorHandler && { errorHandler }),
    })
  })

  function refuseOthers(scope: FastifyInstance, url: string, { methods, ...served }: Served): void {
    const allow = methods.join(', ')
    scope.route({
      ...served,
      method: scope.supportedMethods.filter((method) => !methods.includes(method)),
      url,
      exposeHeadRoute: false,
      // Before the framework looks at the body: it has its own mind about that of a QUERY.
      onRequest: async (request, reply) => {
        await count(request)
        reply.header('Allow', allow)
        throw new Refusal('method_not_allowed', `This path serves ${allow}.`)
      },
      handler: async () => {},
    })
  }

  return () => {
    // Registered, so that it comes after what other surfaces registered.
    app.register(async (scope) => {
      for (const [url, served] of new Map(paths)) refuseOthers(scope, url, served)
    })
  }
}
