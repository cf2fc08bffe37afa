import type { FastifyInstance } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { Web } from '../web.ts'
import { type DoorOptions, openDoor } from './door.ts'
import { serveLists } from './serve-lists.tsx'
import { serveName } from './serve-name.tsx'
import { serveOffer } from './serve-offer.tsx'
import { serveSearch } from './serve-search.tsx'

/** The marketplace's pages, for everybody. */
export function serveMarket(
  app: FastifyInstance,
  house: House,
  web: Web,
  options: DoorOptions,
): void {
  const door = openDoor(app, house, web, options)
  serveSearch(door, house)
  serveName(door, house)
  serveLists(door, house)
  serveOffer(app, house, web)
}
