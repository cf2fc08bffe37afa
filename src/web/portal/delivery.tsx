import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { setOwnDelivery } from '../../domain/accounts/set-own-delivery.ts'
import { Once } from '../components/form.tsx'
import { OperationFields, typedIn } from '../components/operation-fields.tsx'
import { Heading } from '../components/parts.tsx'
import type { Portal, PortalContext } from './portal.tsx'

/** Where the domains go that the partner sells, where an order does not say. */
export function serveDelivery(portal: Portal): void {
  portal.get('/delivery', (page) => showDelivery(page))
  portal.post(
    '/delivery',
    async (page) => {
      const { form, base } = page
      const input = { method: form.get('method'), account: form.get('account')?.trim() || null }
      await portal.write(page, setOwnDelivery, input)
      return page.goOn(`${base}/delivery`, 'Saved. It applies to new orders.')
    },
    showDelivery,
  )

  async function showDelivery(
    page: PortalContext & { form?: URLSearchParams },
    problem?: ApiError,
  ): Promise<FastifyReply> {
    const { base, account } = page
    const { method = 'auth_code', account: into } = account.delivery ?? {}
    return portal.show(
      page,
      { title: 'Delivery', at: '/delivery', problem },
      <>
        <Heading title="Delivery" />
        <p class="lead">
          Where the domains go that you sell, unless the order or the buyer at the checkout says
          otherwise. It applies to both environments.
        </p>
        <form method="post" action={`${base}/delivery`} class="narrow">
          <Once />
          <OperationFields
            operation={setOwnDelivery}
            typed={typedIn(page.form, problem)}
            fields={{
              method: {
                label: 'How domains are delivered',
                value: method,
                choices: {
                  auth_code: 'The buyer gets an authorization code',
                  push: 'Push into an account at the registrar',
                  hold: 'Keep them in the buyer’s account here',
                },
              },
              account: {
                label: 'Account to push into',
                value: into ?? '',
                hint: 'Required for a push.',
              },
            }}
          />
          <button type="submit">Save</button>
        </form>
        <p class="soft">
          <a href="/docs/guides/receiving-a-domain">Receiving a domain</a> explains what each of
          them means.
        </p>
      </>,
    )
  }
}
