import type { CommandSpec } from './command-spec.ts'
import { MONEY_COMMANDS } from './money-commands.ts'

const liveRequest = { names: { id: 'live_request_id' } }
const buyerConsented = { buyer_consented: 'The buyer agreed to a price above the budget.' }

function offerMove(move: string, summary: string, amount: string): CommandSpec {
  return {
    operation: 'operate_offer',
    fixed: { move },
    summary,
    help: { amount_cents: amount, message: 'Shown to the buyer.' },
  }
}

function orderMove(move: string, summary: string): CommandSpec {
  return { operation: 'operate_order', fixed: { move }, summary }
}

/** Every command that calls one admin operation, by its words. */
export const COMMANDS: Record<string, CommandSpec> = {
  'partner create': {
    operation: 'create_partner',
    help: { affiliate: 'Link an affiliate account.' },
  },
  'partner list': {
    operation: 'list_partners',
    columns: ['partner_id', 'name', 'email', 'status', 'live_approved_at', 'created_at'],
  },
  'partner show': { operation: 'show_partner' },
  'partner set-delivery': { operation: 'set_partner_delivery' },
  'partner set-brand': { operation: 'set_partner_brand' },
  'partner terms': { operation: 'set_partner_terms' },
  'partner suspend': {
    operation: 'set_partner_status',
    fixed: { status: 'suspended' },
    summary: 'Suspend a partner: its credentials stop working',
  },
  'partner activate': {
    operation: 'set_partner_status',
    fixed: { status: 'active' },
    summary: 'Reactivate a suspended partner',
  },
  'partner live-requests': {
    operation: 'list_live_requests',
    defaults: { status: 'pending' },
    columns: ['id', 'partner_id', 'partner_name', 'status', 'website', 'created_at'],
  },
  'partner approve': { ...liveRequest, operation: 'approve_live' },
  'partner withdraw-live': { operation: 'withdraw_live' },
  'partner decline': { ...liveRequest, operation: 'decline_live' },

  'credential create': {
    operation: 'create_credential',
    summary: 'Make a credential; a live one approves the partner for live',
    options: ['partner_id'],
  },
  'credential list': {
    operation: 'list_credentials',
    options: ['partner_id'],
    columns: ['key_id', 'environment', 'scopes', 'status', 'created_at', 'last_used_at'],
  },
  'credential rotate': {
    operation: 'rotate_credential',
    help: { overlap_seconds: 'How long the old secret still works.' },
  },
  'credential revoke': { operation: 'revoke_credential' },

  'listings list': {
    operation: 'list_all_listings',
    columns: [
      'domain',
      'price_cents',
      'floor_price_cents',
      'offers',
      'status',
      'seller_id',
      'updated_at',
    ],
  },
  'listings imports': {
    operation: 'list_listing_imports',
    columns: [
      'import_id',
      'file_name',
      'status',
      'rows',
      'imported',
      'rejected_count',
      'created_at',
    ],
  },
  'listings show-import': { operation: 'show_listing_import' },
  'listings withdraw': { operation: 'withdraw_listing' },
  'listings freeze': { operation: 'freeze_listing' },
  'listings unfreeze': { operation: 'unfreeze_listing' },
  'listings unblock': { operation: 'unblock_domain' },
  'listings blocked': { operation: 'list_blocked_domains', columns: ['domain', 'blocked_at'] },

  'checkout-session cancel': { operation: 'cancel_checkout_session' },

  'user create': { operation: 'create_user', secret: 'password' },
  'user list': {
    operation: 'list_users',
    columns: ['user_id', 'email', 'email_confirmed', 'operator', 'partner_id', 'created_at'],
  },
  'user show': { operation: 'show_user' },
  'user token': {
    operation: 'create_user_token',
    summary: 'Make a personal access token for a user; it is shown only once',
    help: { label: 'What it is for.' },
  },
  'user link': {
    operation: 'update_user',
    summary: 'Link an account to a partner or an affiliate, or make it an operator',
  },
  'user domains': { operation: 'import_domains' },
  'user export': { operation: 'export_user' },
  'user erase': { operation: 'erase_user' },
  'user end-sessions': { operation: 'end_user_sessions' },
  'user reset-second-factor': { operation: 'reset_second_factor' },

  'admin-token create': { operation: 'create_admin_token', arguments: ['name'] },
  'admin-token list': {
    operation: 'list_admin_tokens',
    columns: ['token_id', 'name', 'role', 'expires_at', 'last_used_at', 'revoked_at'],
  },
  'admin-token revoke': { operation: 'revoke_admin_token' },

  'signing-key rotate': { operation: 'rotate_signing_key' },

  'mail list': {
    operation: 'list_mails',
    columns: ['id', 'to', 'subject', 'created_at', 'sent_at', 'error'],
  },

  'order list': {
    operation: 'list_all_orders',
    columns: ['public_id', 'domain', 'status', 'held', 'sale_price_cents', 'created_at'],
    help: { held: 'Waiting for review.' },
  },
  'order show': { operation: 'show_order' },
  'order clear': orderMove('clear', 'Clear the review of a held order'),
  'order start': orderMove('start', 'Start the transfer'),
  'order complete': orderMove('complete', 'Confirm that the buyer has the domain'),
  'order fail': orderMove('fail', 'Record that the transfer failed'),
  'order action-required': orderMove(
    'action-required',
    'Say that the transfer waits for the buyer',
  ),
  'order transfers': {
    operation: 'list_transfers',
    columns: ['public_id', 'domain', 'status', 'held', 'sale_price_cents', 'created_at'],
  },
  'order registry': { operation: 'read_order_registry' },
  'order registrant': { operation: 'reveal_registrant' },
  'order set-code': { operation: 'set_transfer_code', secret: 'code' },
  'order cancel': orderMove('cancel', 'Cancel an order before any transfer'),
  'order refund': orderMove('refund', 'Refund an order before its delivery'),

  'brokerage list': {
    operation: 'list_all_cases',
    columns: ['case_id', 'domain', 'status', 'tier', 'assignee', 'price_cents', 'updated_at'],
    help: { running: 'Not ended yet.', assigned: 'With a broker.' },
    flags: { unassigned: { summary: 'Without a broker.', sets: { assigned: false } } },
  },
  'brokerage show': { operation: 'show_case' },
  'brokerage move': {
    operation: 'operate_case',
    help: {
      price_cents: 'The agreed price; for agree and complete.',
      note: 'Shown to the buyer and the partner.',
      ...buyerConsented,
    },
  },
  'brokerage assign': { operation: 'assign_case', arguments: ['assignee'] },
  'brokerage note': { operation: 'note_case', arguments: ['text'] },
  'brokerage contact': { operation: 'record_contact' },
  'brokerage offer': {
    operation: 'record_offer',
    names: { made_by: 'by' },
    help: { message: 'Shown to both sides.', ...buyerConsented },
  },
  'brokerage answer': { operation: 'record_answer', help: buyerConsented },
  'brokerage link': {
    operation: 'operator_renews_progress_link',
    flags: {
      revoke: {
        summary: 'End the link without a new one.',
        operation: 'operator_revokes_progress_link',
      },
    },
  },

  'offer list': {
    operation: 'list_all_offers',
    columns: ['offer_id', 'domain', 'status', 'turn', 'amount_cents', 'expires_at'],
    help: { sold_by: 'Who sells the names.' },
  },
  'offer show': { operation: 'show_offer' },
  'offer accept': offerMove(
    'accept',
    'Accept an offer for a name that operators sell',
    'The amount on the table; any other is rejected.',
  ),
  'offer counter': offerMove('counter', 'Ask the buyer for another amount', 'What you ask for.'),
  'offer decline': offerMove('decline', 'Decline an offer', 'Only for accept and counter.'),

  ...MONEY_COMMANDS,

  'webhook list': {
    operation: 'list_webhook_endpoints',
    columns: ['endpoint_id', 'partner_id', 'environment', 'url', 'active', 'pending_count'],
  },
  'webhook on': {
    operation: 'switch_webhook_endpoint',
    fixed: { to: 'on' },
    summary: 'Switch deliveries to an endpoint on again',
  },
  'webhook off': {
    operation: 'switch_webhook_endpoint',
    fixed: { to: 'off' },
    summary: 'Switch deliveries to an endpoint off',
  },

  overview: { operation: 'show_overview' },
  find: {
    operation: 'search_all',
    arguments: ['q'],
    columns: ['kind', 'id', 'label', 'status', 'environment'],
  },
  'job list': {
    operation: 'list_jobs',
    columns: ['name', 'running', 'due_at', 'finished_at', 'error'],
  },
  'job run': { operation: 'run_job' },
  'audit list': {
    operation: 'list_audit_entries',
    columns: ['at', 'actor', 'operation', 'subject', 'outcome'],
    help: { refused: 'Rejected requests.' },
  },

  'registrar add': {
    operation: 'add_registrar',
    arguments: ['name'],
    jsonFiles: ['config'],
    help: { config: 'A JSON file with what the driver needs.' },
  },
  'registrar list': {
    operation: 'list_registrars',
    columns: ['name', 'driver', 'tlds', 'domains', 'publishes_for_sale', 'created_at'],
  },
  'registrar test': { operation: 'test_registrar' },
  'registrar remove': { operation: 'remove_registrar' },
  'registrar for-sale': { operation: 'set_registrar_for_sale' },
  'registrar for-sale-records': {
    operation: 'list_for_sale_records',
    columns: ['domain', 'registrar', 'status', 'value', 'operation_id', 'error', 'updated_at'],
  },
  'registrar domains': {
    operation: 'list_registrar_domains',
    columns: ['domain', 'registrar', 'expires_at', 'locked', 'nameservers', 'read_at'],
  },
  'registrar operations': {
    operation: 'list_registrar_operations',
    columns: ['operation_id', 'domain', 'op', 'registrar', 'status', 'attempts', 'created_at'],
  },
  'registrar retry': { operation: 'retry_registrar_operation' },
  'registrar settle': { operation: 'settle_registrar_operation' },

  'claim list': {
    operation: 'list_all_claims',
    columns: ['domain', 'user_id', 'email', 'status', 'method', 'checked_at', 'problem'],
  },
  'claim decide': { operation: 'decide_claim' },

  'price list': {
    operation: 'list_tld_prices',
    columns: ['tld', 'op', 'years', 'price_cents'],
    limit: 10_000,
  },
  'price set': {
    operation: 'set_tld_price',
    names: { op: 'operation' },
    flags: { none: { summary: 'It is not sold.', sets: { price_cents: null } } },
  },
}
