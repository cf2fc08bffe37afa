import type { Output } from './types.ts'

/** What the partner API answers of each thing, for the signatures of your own functions. */
export type Domain = Output<'get_domain'>
export type Quote = Output<'get_quote'>
export type Order = Output<'get_order'>
export type Refund = Output<'request_refund'>
export type CheckoutSession = Output<'get_checkout_session'>
export type Case = Output<'get_case'>
export type Settlement = Output<'get_settlement'>
export type Payout = Output<'get_payout'>
export type Link = Output<'create_link'>
export type WebhookEndpoint = Output<'get_webhook'>
