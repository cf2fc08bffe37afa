import type { components } from './generated/public.ts'

type Schemas = components['schemas']

/** The things of the public API, as its OpenAPI document names them, for the signatures of your own functions. */
export type DomainResult = Schemas['DomainResult']
export type Listing = Schemas['Listing']
export type Page = Schemas['Page']
export type TldPrice = Schemas['TldPrice']
export type TldRequirements = Schemas['TldRequirements']
export type WhoisRecord = Schemas['WhoisRecord']
