import type { Finisher } from '../domain/registrars/settle-operation.ts'
import type { Observer } from '../domain/registrars/work-syncs.ts'

/** What goes on when a registrar operation has ended. */
export const FINISHERS: readonly Finisher[] = []

/** What a registrar says of a domain that is a user's here. */
export const observeDomain: Observer = async () => {}
