import type { WhoisRecord } from 'domain-marketplace-registry-lookup'
import type { JWK } from 'jose'
import type { ColumnType } from 'kysely'
import type { Environment, Scope } from '../core/caller.ts'
import type { AlertType } from '../core/raise-alert.ts'
import type { Role } from '../core/roles.ts'
import type { LinkPurpose } from '../domain/accounts/link-purpose.ts'
import type { CaseStatus, CaseStep, OfferStatus, Side, Tier } from '../domain/brokerage/case.ts'
import type { SiteState } from '../domain/brokerage/site-probe.ts'
import type { KnownBuyer } from '../domain/checkout/session.ts'
import type { EventType, HistoryEvent, ReplayStatus } from '../domain/events/event-types.ts'
import type { NewEvent } from '../domain/events/event-view.ts'
import type {
  TransferProof,
  TransferRegistrar,
  TransferRegistry,
  TransferStatus,
} from '../domain/events/transfer-view.ts'
import type { InvoiceBuyer, InvoiceSeller } from '../domain/invoices/invoice.ts'
import type { CommissionKind, CommissionType } from '../domain/ledger/commissions.ts'
import type { Account, LedgerCode } from '../domain/ledger/ledger.ts'
import type { ImportStatus } from '../domain/listings/listing-import.ts'
import type { OfferBuyer, OfferSide, OfferState, OfferStep } from '../domain/offers/offer.ts'
import type {
  Buyer,
  OrderStatus,
  PaymentModel,
  RefundReason,
  TimelineEntry,
} from '../domain/orders/order.ts'
import type { Delivery } from '../domain/partners/delivery.ts'
import type { PartnerBrand } from '../domain/partners/partner-brand.ts'
import type {
  CredentialStatus,
  LiveRequestStatus,
  PartnerStatus,
} from '../domain/partners/partner-status.ts'
import type { RailId } from '../domain/payees/payout-rail.ts'
import type { ChargeStatus } from '../domain/payments/charge.ts'
import type { DisputeStatus } from '../domain/payments/dispute.ts'
import type { PaymentStatus, Registrant } from '../domain/payments/payment.ts'
import type { ProviderId } from '../domain/payments/registry.ts'
import type { PayoutFormat } from '../domain/payouts/files/payout-file.ts'
import type { PayoutStatus } from '../domain/payouts/payout.ts'
import type { Counted } from '../domain/referrals/referral-days.ts'
import type { LinkType } from '../domain/referrals/referral-link.ts'
import type { DriverId, RegistrarMessage, RegistrarOp } from '../domain/registrars/driver.ts'
import type {
  OperationError,
  OperationParams,
  OperationStatus,
} from '../domain/registrars/operation.ts'
import type { PriceOp } from '../domain/registry/price-book.ts'
import type { RegistryResult } from '../domain/registry/registry.ts'
import type { LoggedRequest } from '../domain/request-log/request-log.ts'
import type { TaxLine } from '../domain/tax/tax.ts'

/**
 * Every table, as Kysely sees it, in the order of their names. A JSON column is a `ColumnType`: it is read as a
 * value, and written as JSON text. The types that rows refer to are imported as types only, so that nothing of
 * the layers above is loaded with it.
 */
export interface Schema {
  admin_tokens: {
    token_id: string
    name: string
    token_hash: Uint8Array
    role: Role
    created_by: string
    /** Who answers for what is done with it: the id of the user who made it, or its own; null of older ones, too. */
    person: string | null
    created_at: Date
    expires_at: Date | null
    last_used_at: Date | null
    revoked_at: Date | null
  }
  affiliates: { id: string; partner_id: string; created_at: Date }
  alerts: {
    alert_id: string
    environment: Environment
    type: AlertType
    cause: string
    data: ColumnType<Record<string, unknown>, string, never>
    created_at: Date
    handled_at: Date | null
    /** When the webhook is tried next. */
    due_at: Date | null
    attempts: number
    sent_at: Date | null
    error: string | null
  }
  audit_entries: {
    id: string
    at: Date
    actor: string
    user_id: string | null
    operation: string
    subject: string | null
    input: ColumnType<Record<string, unknown>, string, never>
    outcome: string
    message: string | null
    request_id: string
  }
  blocked_domains: {
    domain: string
    blocked_at: Date
  }
  brokerage_cases: {
    case_id: string
    partner_id: string
    environment: Environment
    domain: string
    tier: Tier
    status: CaseStatus
    buyer_email: string
    budget: number
    currency: string
    note: string | null
    price_cents: number | null
    commission_bps: number
    commission_cents: number | null
    assignee: string | null
    progress_hash: Uint8Array | null
    progress_sealed: Uint8Array | null
    timeline: ColumnType<CaseStep[], string, string>
    created_at: Date
    updated_at: Date
    ended_at: Date | null
  }
  brokerage_notes: { note_id: string; case_id: string; text: string; created_at: Date }
  brokerage_offers: {
    offer_id: string
    case_id: string
    made_by: Side
    price_cents: number
    message: string | null
    status: OfferStatus
    created_at: Date
    answered_at: Date | null
  }
  charges: {
    id: string
    user_id: string
    payment_method_id: string
    provider: ProviderId
    provider_ref: string | null
    amount_cents: number
    currency: string
    status: ChargeStatus
    reason: string | null
    refund_cents: number
    refund_ref: string | null
    request_key: string | null
    request_fingerprint: Uint8Array | null
    due_at: Date | null
    attempts: number
    /** It is authorized first, and captured for what its registrars have renewed. */
    manual_capture: boolean
    /** What is to be captured; null until that is known. */
    capture_cents: number | null
    /** The provider's page on which the cardholder confirms it. */
    confirmation_ref: string | null
    created_at: Date
    updated_at: Date
  }
  checkout_sessions: {
    id: string
    partner_id: string
    environment: Environment
    domain: string
    price_cents: number
    currency: string
    /** Whose offer the price is, as of the listing that the session was made for. */
    seller_id: string | null
    status: 'open' | 'paid' | 'cancelled'
    buyer: ColumnType<KnownBuyer, string, never>
    registrant: ColumnType<Registrant | null, string | null, string>
    return_url: string | null
    cancel_url: string | null
    external_ref: string | null
    metadata: ColumnType<Record<string, unknown>, string, never>
    link_id: string | null
    clicked_at: Date | null
    public_id: string | null
    delivery: ColumnType<Delivery | null, string | null, string>
    /** The buyer came by the name's lander. */
    by_lander: boolean
    /** The accepted offer that it is for: until it expires, it reserves the domain. */
    offer_id: string | null
    /** The app that buys, by which consent and for whom; null of people. */
    app_grant_id: string | null
    app_client_id: string | null
    app_user_id: string | null
    app_name: string | null
    created_at: Date
    updated_at: Date
    expires_at: Date
  }
  claims: {
    claim_id: string
    user_id: string
    domain: string
    token: string
    status: 'pending' | 'verified' | 'lost'
    method: 'txt' | 'nameservers' | 'registrar' | 'operator' | null
    problem: string | null
    created_at: Date
    verified_at: Date | null
    checked_at: Date | null
    due_at: Date | null
    missing_since: Date | null
    registrar_iana_id: string | null
    /** What its user asks for the domain once it is proven; null is nothing. */
    price_cents: number | null
    floor_price_cents: number | null
    offers: 'off' | 'open' | null
    min_offer_cents: number | null
  }
  commission_balances: {
    partner_id: string
    environment: Environment
    currency: string
    balance_cents: number
    last_position: number
    /** All commissions up to it are in a payout, or were. */
    taken_up_position: number
  }
  commission_entries: {
    id: string
    transaction_id: string
    partner_id: string
    environment: Environment
    currency: string
    position: number
    type: CommissionType
    kind: CommissionKind
    amount_cents: number
    balance_cents: number
    sale_id: string
    payout_id: string | null
    payable_at: Date | null
    created_at: Date
  }
  credentials: {
    key_id: string
    partner_id: string
    environment: Environment
    scopes: Scope[]
    secret_sealed: Uint8Array
    previous_secret_sealed: Uint8Array | null
    previous_secret_expires_at: Date | null
    status: CredentialStatus
    revision: number
    created_at: Date
    revoked_at: Date | null
    expires_at: Date | null
    /** Addresses and networks that it may be used from; null: any. */
    allowed_addresses: string[] | null
    last_used_at: Date | null
  }
  delivery_receipts: {
    receipt_id: string
    public_id: string
    /** As it was signed. */
    token: string
    created_at: Date
  }
  disputes: {
    id: string
    payment_id: string | null
    charge_id: string | null
    provider_ref: string
    amount_cents: number
    currency: string
    reason: string
    status: DisputeStatus
    withdrawn: boolean
    reinstated: boolean
    due_at: Date | null
    created_at: Date
    updated_at: Date
  }
  embedding_checks: {
    model: string
    checked_with: string
    queries: number
    recall_without: number
    recall_with: number
    better: number
    worse: number
    is_used: boolean
    checked_at: Date
  }
  embedding_models: {
    model: string
    dimensions: number
    centre: Uint8Array
    cutoff: number
    created_at: Date
  }
  event_streams: { partner_id: string; environment: Environment; last_position: number }
  events: {
    id: string
    partner_id: string
    environment: Environment
    position: number
    type: EventType
    data: ColumnType<NewEvent['data'], string, never>
    created_at: Date
  }
  idempotency_keys: {
    subject: string
    method: string
    path: string
    key: string
    fingerprint: Uint8Array
    status: number | null
    body: string | null
    /** Null is JSON. */
    media_type: string | null
    created_at: Date
    expires_at: Date
  }
  installation: { name: string; value: string }
  invoice_counters: { environment: Environment; year: number; last_seq: number }
  invoices: {
    invoice_id: string
    number: string
    environment: Environment
    year: number
    seq: number
    kind: 'invoice' | 'credit_note'
    credits: string | null
    public_id: string
    payment_id: string
    domain: string
    seller: ColumnType<InvoiceSeller, string, never>
    buyer: ColumnType<InvoiceBuyer, string, never>
    net_cents: number
    tax_cents: number
    tax: ColumnType<TaxLine | null, string | null, never>
    currency: string
    issued_at: Date
  }
  label_vectors: {
    model: string
    words: string
    vector: Uint8Array
    code: Uint8Array
  }
  ledger_entries: { transaction_id: string; account: Account; amount_cents: number }
  ledger_transactions: {
    id: string
    environment: Environment
    partner_id: string
    code: LedgerCode
    source: string
    settlement_id: string | null
    currency: string
    at: Date
  }
  listing_import_parts: { import_id: string; place: number; first_line: number; csv: string }
  listing_import_rejections: {
    import_id: string
    line: number
    field: string
    issue: string
    row: string
  }
  listing_imports: {
    id: string
    environment: Environment
    file_name: string | null
    status: ImportStatus
    created_by: string
    created_at: Date
    updated_at: Date
    finished_at: Date | null
    /** Null while it is not known, and of one that is streamed in. */
    total_bytes: number | null
    done_bytes: number
    rows: number
    imported: number
    created: number
    updated: number
    skipped_sold: number
    rejected_count: number
    error: string | null
  }
  /** Records at `_for-sale` that registrar connections publish, or are asked to. */
  for_sale_records: {
    domain: string
    registrar_id: string
    value: string
    /** Whether it is to be there, or to be gone. */
    is_wanted: boolean
    status: 'queued' | 'published' | 'failed'
    /** What the registrar is asked, or was asked last. */
    operation_id: string
    retry_at: Date | null
    updated_at: Date
  }
  /** What a search in the database finds listings by; written by the statements that write them. */
  listing_postings: {
    environment: Environment
    /** The hash of a term, of two terms or of a spelling. */
    key: number
    /** How much the name says in all: those that say least come first. */
    cost: number
    domain: string
    price_cents: number
  }
  listings: {
    environment: Environment
    domain: string
    label: string
    tld: string
    price_cents: number
    floor_price_cents: number
    currency: string
    /** `delisted`: withdrawn by its seller, so that it looks like one that is not there. */
    status: 'listed' | 'sold' | 'delisted'
    /** The quote, the payment or the checkout of an accepted offer that holds the domain. */
    reserved_by: string | null
    reserved_until: Date | null
    metadata: ColumnType<Record<string, unknown>, string, string>
    /** The words of the label; null until they have been read. */
    tokens: string[] | null
    /** What a search in the database finds it by; null until the label has been read. */
    posting_keys: number[] | null
    posting_cost: number | null
    /** The transaction that last changed what search shows. */
    changed_in: ColumnType<never, never, string>
    listed_at: Date
    updated_at: Date
    /** The user who sells a domain of their own; null for the marketplace's. */
    seller_id: string | null
    /** Since when it is for sale to nobody, and why. */
    frozen_at: Date | null
    /** Nobody can buy it before; null where nothing holds it back. */
    sells_from: Date | null
    frozen_reason: string | null
    /** Whether it takes offers, and the least that one may be. */
    offers: ColumnType<'off' | 'open', 'off' | 'open' | undefined, 'off' | 'open'>
    min_offer_cents: number | null
    /** The seller's words, in plain text. */
    description: string | null
  }
  listing_watches: {
    partner_id: string
    environment: Environment
    domain: string
    seen_at: Date
    price_cents: number
    currency: string
    status: string
    is_due: ColumnType<boolean, boolean | undefined, boolean>
  }
  live_requests: {
    id: string
    partner_id: string
    status: LiveRequestStatus
    use_case: string
    website: string | null
    requested_by: string
    reason: string | null
    created_at: Date
    decided_at: Date | null
  }
  mailed_links: {
    token_hash: Uint8Array
    user_id: string
    purpose: LinkPurpose
    /** The address that the account is to have, of `change_email`. */
    new_email: string | null
    expires_at: Date
  }
  mails: {
    id: string
    recipient: string
    subject: string
    body: string | null
    html: string | null
    created_at: Date
    due_at: Date
    attempts: number
    sent_at: Date | null
    error: string | null
    recipient_rejected: ColumnType<boolean, boolean | undefined>
  }
  mandates: {
    grant_id: string
    max_per_order_cents: number
    max_total_cents: number
    currency: string
    expires_at: Date
  }
  name_days: {
    domain: string
    date: string
    page_views: number
    lander_views: number
    leads: number
  }
  nonces: { key_id: string; nonce: string; expires_at: Date }
  oauth_clients: {
    client_id: string
    kind: 'registered' | 'document'
    name: string
    redirect_uris: string[]
    created_at: Date
    last_used_at: Date
    fresh_until: Date | null
  }
  oauth_codes: {
    code_hash: Uint8Array
    grant_id: string
    redirect_uri: string
    code_challenge: string
    expires_at: Date
    used_at: Date | null
  }
  oauth_grants: {
    id: string
    client_id: string
    user_id: string
    scope: string
    resource: string
    created_at: Date
    last_used_at: Date
    revoked_at: Date | null
  }
  oauth_tokens: {
    token_hash: Uint8Array
    kind: 'access' | 'refresh'
    grant_id: string
    /** Narrower than the grant's; null: the grant's. */
    scope: ColumnType<string | null, string | null | undefined, never>
    expires_at: Date
    used_at: Date | null
  }
  offers: {
    offer_id: string
    partner_id: string
    environment: Environment
    domain: string
    /** Whose domain it was when the offer was made; null: operators respond. */
    seller_id: string | null
    status: OfferState
    /** Whose response is awaited; null once it has ended. */
    turn: OfferSide | null
    amount_cents: number
    currency: string
    buyer: ColumnType<OfferBuyer, string, never>
    valid_hours: number
    history: ColumnType<OfferStep[], string, string>
    closed_by: OfferSide | null
    closing_message: string | null
    /** What an accepted offer reserves the name by. */
    quote_id: string | null
    session_id: string | null
    buyer_hash: Uint8Array
    buyer_sealed: Uint8Array
    seller_hash: Uint8Array
    seller_sealed: Uint8Array
    created_at: Date
    updated_at: Date
    expires_at: Date
    ended_at: Date | null
  }
  orders: {
    public_id: string
    partner_id: string
    environment: Environment
    domain: string
    status: OrderStatus
    payment_model: PaymentModel
    sale_price_cents: number
    currency: string
    commission_bps: number
    commission_cents: number
    held: boolean
    hold_reason: string | null
    quote_id: string | null
    external_payment_ref: string | null
    buyer: ColumnType<Buyer, string, never>
    return_url: string | null
    cancel_url: string | null
    transfer_status: TransferStatus
    transfer_started_at: Date | null
    transfer_completed_at: Date | null
    transfer_reason: string | null
    timeline: ColumnType<TimelineEntry[], string, string>
    settlement_id: string | null
    /** Of a hosted sale: where the buyer paid, and the tracked link that brought it. */
    checkout_session_id: string | null
    link_id: string | null
    /** The bank has taken the payment of a hosted sale back, for good or until it decides. */
    disputed: boolean
    /** The user whose domain it is, their share of the price, and how long it is held after delivery. */
    seller_id: string | null
    seller_cents: number | null
    seller_hold_days: number | null
    delivery: ColumnType<Delivery, string, never>
    /** How often its transfer was started. */
    transfer_number: number
    /** The registrar that had the domain when the transfer started, as far as it is known. */
    transfer_registrar: ColumnType<TransferRegistrar | null, string | null, string | null>
    /** What the registry said before the transfer and after it; null until it started. */
    transfer_registry: ColumnType<TransferRegistry | null, string | null, string | null>
    /** The connection that was asked: its id, or `simulated`; null where an operator acts by hand. */
    transfer_connection: string | null
    /** Sealed. */
    transfer_code: Buffer | null
    code_available_at: Date | null
    /** When its seller was last reminded to give the code. */
    code_reminded_at: Date | null
    expected_by: Date | null
    transfer_checked_at: Date | null
    submitted_at: Date | null
    stalled_at: Date | null
    transfer_proof: ColumnType<TransferProof | null, string | null, string | null>
    receipt_id: string | null
    created_at: Date
    updated_at: Date
  }
  owned_domains: {
    domain: string
    user_id: string
    /** Against transfers to another registrar. */
    locked: boolean
    auto_renew: boolean
    /** Whether the registrant's data is withheld from WHOIS. */
    privacy: boolean
    nameservers: string[]
    /** Null until a registry or registrar has said it. */
    expires_at: Date | null
    created_at: Date
    updated_at: Date
  }
  partner_invitations: {
    id: string
    partner_id: string
    /** In lower case. */
    email: string
    token_hash: Uint8Array
    invited_by: string
    created_at: Date
    expires_at: Date
    /** When it was accepted or withdrawn. */
    ended_at: Date | null
  }
  partners: {
    id: string
    /** Of a payee: the user who is paid for domains that they sold. */
    user_id: string | null
    name: string
    email: string
    status: PartnerStatus
    live_approved_at: Date | null
    partner_collected_bps: number
    brokerage_bps: number
    hosted_checkout_bps: number
    referral_bps: number
    delivery: ColumnType<Delivery | null, string | null | undefined, string | null>
    credit_limit_cents: number | null
    orders_per_hour: number | null
    brand: ColumnType<PartnerBrand | null, string | null | undefined, string | null>
    created_at: Date
  }
  payment_methods: {
    id: string
    user_id: string
    provider: ProviderId
    status: 'pending' | 'active' | 'removed'
    setup_ref: string | null
    customer_ref: string | null
    method_ref: string | null
    label: string | null
    created_at: Date
    updated_at: Date
    /** When the provider is next told to forget the card of somebody who was erased. */
    forget_due_at: Date | null
  }
  payments: {
    id: string
    session_id: string
    partner_id: string
    environment: Environment
    provider: ProviderId
    provider_ref: string | null
    amount_cents: number
    currency: string
    status: PaymentStatus
    reason: string | null
    /** Whom the domain is for, as of the payment's start; null of payments of old. */
    tax_cents: ColumnType<number, number | undefined, never>
    tax: ColumnType<TaxLine | null, string | null, never>
    registrant: ColumnType<Registrant | null, string | null, never>
    refund_ref: string | null
    /** What goes back, where a bank gave the buyer the rest; null is all of it. */
    refund_cents: number | null
    public_id: string | null
    due_at: Date | null
    attempts: number
    refund_round: number
    refund_note: string | null
    /** The saved card that an app paid with; null: the buyer paid. */
    payment_method_id: string | null
    /** What paid, such as `Visa ending in 4242`; null where the provider does not say. */
    card: ColumnType<string | null, string | null | undefined, string | null>
    created_at: Date
    updated_at: Date
  }
  payout_lines: { payout_id: string; entry_id: string; active: boolean }
  payees: {
    payee_id: string
    partner_id: string
    rail: RailId
    /** What the provider calls the account; null of a bank account, and until it is opened. */
    account_id: string | null
    /** The bank account, sealed; null of any other. */
    details: Buffer | null
    name: string
    country: string
    currency: string
    account_last4: string
    created_at: Date
    /** Null: a provider still checks who the payee is. */
    usable_from: Date | null
    created_by: string
  }
  payout_batches: {
    batch_id: string
    environment: Environment
    format: PayoutFormat
    payout_count: number
    file: Buffer | null
    created_at: Date
    created_by: string
  }
  settlement_receipts: {
    receipt_id: string
    settlement_id: string
    partner_id: string
    environment: Environment
    currency: string
    amount_cents: number
    reference: string
    received_at: Date
    created_at: Date
  }
  payouts: {
    id: string
    partner_id: string
    environment: Environment
    currency: string
    kind: CommissionKind
    amount_cents: number
    status: PayoutStatus
    reason: string | null
    created_at: Date
    updated_at: Date
    paid_at: Date | null
    batch_id: string | null
    /** Null: the calendar made it. */
    created_by: string | null
    /** Who answers for that; null also of older payouts. */
    created_by_person: string | null
    approved_by: string | null
    approved_at: Date | null
    /** What a provider calls the transfer that pays it. */
    transfer_ref: string | null
    attempts: number
    /** When it is sent, or tried again; null: not by a provider, or no more. */
    due_at: Date | null
  }
  personal_tokens: {
    id: string
    token_hash: Uint8Array
    user_id: string
    label: string
    created_at: Date
    last_used_at: Date | null
    /** Scopes, separated by blanks. */
    scopes: string
    expires_at: Date | null
  }
  presence_checks: {
    token_hash: Uint8Array
    user_id: string
    challenge: string
    expires_at: Date
  }
  promised_domains: {
    domain: string
    email: string
    expires_at: Date | null
    created_at: Date
  }
  quotes: {
    id: string
    partner_id: string
    environment: Environment
    domain: string
    price_cents: number
    currency: string
    status: 'active' | 'consumed' | 'released'
    created_at: Date
    expires_at: Date
    /** The accepted offer that it keeps the domain for. */
    offer_id: string | null
    /** Of the token as it was given out; null of quotes of old. */
    token_sha256: string | null
  }
  rate_windows: { subject: string; used: number; ends_at: Date }
  rdap_bootstrap: { publication: Date; body: string; fetched_at: Date }
  referral_days: {
    partner_id: string
    environment: Environment
    date: string
    link_id: string
  } & Record<Counted, number>
  referral_links: {
    id: string
    partner_id: string
    environment: Environment
    code: string
    type: LinkType
    domain: string | null
    product: string | null
    destination: string
    label: string | null
    created_at: Date
  }
  referral_totals: {
    partner_id: string
    environment: Environment
    date: string
  } & Record<Counted, number>
  referral_visitors: {
    partner_id: string
    environment: Environment
    date: string
    visitor: Uint8Array
  }
  goodwill_refunds: {
    goodwill_id: string
    payment_id: string
    amount_cents: number
    reason: string
    status: 'needs_approval' | 'pending' | 'sent' | 'failed' | 'closed'
    requested_by: string
    /** Who answers for that; null of older rows. */
    requested_by_person: string | null
    approved_by: string | null
    provider_ref: string | null
    error: string | null
    attempts: number
    due_at: Date | null
    created_at: Date
    updated_at: Date
  }
  refund_requests: {
    public_id: string
    requested_by: string
    /** Who answers for that; null of older rows. */
    requested_by_person: string | null
    requested_at: Date
  }
  refunds: {
    id: string
    public_id: string
    amount_cents: number
    currency: string
    reason: RefundReason
    note: string | null
    requested_by: 'partner' | 'operator' | 'buyer'
    created_at: Date
  }
  registrar_domains: {
    domain: string
    registrar_id: string
    /** Null where the registrar does not say it, as all that may be null here. */
    expires_at: Date | null
    locked: boolean | null
    privacy: boolean | null
    nameservers: string[]
    /** Whether the registrar's own name servers serve the zone. */
    hosts_zone: boolean | null
    statuses: string[]
    read_at: Date
  }
  registrar_messages: {
    registrar_id: string
    message_id: string
    domain: string | null
    kind: RegistrarMessage['kind']
    text: string
    queued_at: Date | null
    received_at: Date
    acknowledged_at: Date | null
  }
  registrar_operations: {
    operation_id: string
    environment: Environment
    domain: string
    op: RegistrarOp
    /** The connection's name, or `simulated`. */
    registrar: string
    /** Null for the simulated registrar, and once the connection is removed. */
    registrar_id: string | null
    params: ColumnType<OperationParams, string, string>
    /** The authorization code, sealed. */
    secret: Buffer | null
    /** What wants it, once. */
    source: string | null
    public_id: string | null
    user_id: string | null
    status: OperationStatus
    attempts: number
    error: ColumnType<OperationError | null, string | null, string | null>
    result: ColumnType<{ expires_at?: string } | null, string | null, string | null>
    /** When it is tried next; null while an operator acts by hand. */
    due_at: Date | null
    lease: string | null
    leased_until: Date | null
    created_at: Date
    updated_at: Date
    finished_at: Date | null
    /** Whether it removed a status that protects the domain, and has not seen it put back. */
    protection_removed: boolean
  }
  registrar_sync_domains: {
    sync_id: string
    domain: string
    outcome: 'pending' | 'found' | 'missing' | 'failed'
    attempts: number
  }
  registrar_syncs: {
    sync_id: string
    registrar_id: string
    status: 'running' | 'done' | 'failed'
    total: number
    /** In the account, not in it, and not read. */
    found: number
    missing: number
    failed: number
    problem: string | null
    created_at: Date
    finished_at: Date | null
  }
  registrars: {
    id: string
    name: string
    driver: DriverId
    tlds: string[]
    /** The configuration as JSON, sealed. */
    config: Buffer
    /** Whether names for sale say so at `_for-sale` in its zones. */
    publishes_for_sale: ColumnType<boolean, boolean | undefined>
    created_at: Date
    updated_at: Date
  }
  registry_answers: {
    domain: string
    state: RegistryResult['state']
    reason: string | null
    source: 'rdap' | 'whois'
    record: ColumnType<WhoisRecord | null, string | null, string | null>
    checked_at: Date
    expires_at: Date
  }
  renewals: {
    id: string
    domain: string
    user_id: string
    years: number
    /** Null when it failed before it had a price. */
    price_cents: number | null
    currency: string
    /**
     * `due`: its charge is under way, or its registrar is. `renewed`: the registrar has renewed it, and the charge is
     * captured next. `refunded`: paid, but the name was no longer the user's.
     */
    status: 'due' | 'renewed' | 'paid' | 'failed' | 'refunded'
    /** Null when it failed before there was anything to charge. */
    charge_id: string | null
    automatic: boolean
    from_expires_at: Date | null
    reason: string | null
    created_at: Date
    /** The connection that performs it; null where the registrar is simulated. */
    registrar_id: string | null
  }
  request_log: LoggedRequest & { partner_id: string; environment: Environment }
  /** What a partner's sandbox has of its own of a listing: there once the partner has reserved or bought it. */
  sandbox_listings: {
    partner_id: string
    environment: ColumnType<'sandbox', never, never>
    domain: string
    status: 'listed' | 'sold'
    /** Where the price has moved away from the catalogue's, and from which: another there ends it. */
    price_cents: number | null
    moved_from_cents: number | null
    reserved_by: string | null
    reserved_until: Date | null
    updated_at: Date
  }
  sale_days: {
    partner_id: string
    environment: Environment
    date: string
    payment_model: string
    status: string
    currency: string
    count: number
    gmv_cents: number
    commission_cents: number
  }
  scheduled_jobs: {
    name: string
    due_at: Date
    lease: string | null
    leased_until: Date | null
    /** Of the last run that ended. */
    started_at: Date | null
    duration_ms: number | null
    finished_at: Date | null
    error: string | null
  }
  recovery_codes: { user_id: string; code_hash: Uint8Array; used_at: Date | null }
  second_factors: {
    factor_id: string
    user_id: string
    kind: 'totp' | 'passkey'
    label: string
    secret: Buffer | null
    last_step: number | null
    credential_id: string | null
    public_key: Buffer | null
    counter: number | null
    /** Separated by blanks. */
    transports: string | null
    confirmed_at: Date | null
    created_at: Date
    last_used_at: Date | null
  }
  sessions: {
    id: string
    token_hash: Uint8Array
    user_id: string
    user_agent: string
    address: string
    created_at: Date
    last_seen_at: Date
    expires_at: Date
    /** When the user last showed that they are there. */
    confirmed_at: Date
  }
  settlements: {
    id: string
    partner_id: string
    environment: Environment
    currency: string
    status: 'open' | 'closed'
    period_start: Date
    period_end: Date | null
    /** What a closed period comes to; null of an open one, whose sums are still read from the ledger. */
    order_count: number | null
    gross_sold_cents: number | null
    commission_retained_cents: number | null
    refunded_cents: number | null
    /** What the partner paid of it, with what was left of earlier statements. */
    received_cents: number
    due_at: Date | null
    reminded_at: Date | null
  }
  signing_keys: {
    kid: string
    public_jwk: ColumnType<JWK, string, never>
    private_jwk_sealed: Uint8Array
    created_at: Date
  }
  site_checks: { domain: string; state: SiteState; checked_at: Date; expires_at: Date }
  tld_prices: {
    tld: string
    op: PriceOp
    price_cents: number | null
    currency: string
    years: number
    updated_at: Date
  }
  users: {
    id: string
    /** In lower case. */
    email: string
    email_confirmed_at: Date | null
    password_hash: string
    is_operator: boolean
    /** Of operators. */
    role: Role | null
    partner_id: string | null
    affiliate_id: string | null
    created_at: Date
    disabled_at: Date | null
    /** When a password was last reset, or a token made that may manage domains. */
    access_changed_at: Date | null
    /** Wrong passwords since `failed_since`. */
    failed_sign_ins: number
    failed_since: Date | null
    warned_at: Date | null
  }
  webhook_attempts: {
    id: string
    delivery_id: string
    endpoint_id: string
    event_id: string
    type: EventType
    attempt: number
    response_status: number | null
    response_body: string | null
    error: string | null
    duration_ms: number
    at: Date
  }
  webhook_deliveries: {
    id: string
    endpoint_id: string
    event_id: string
    status: 'pending' | 'delivered' | 'failed' | 'dropped'
    attempts: number
    due_at: Date
    leased_until: Date | null
    lease: string | null
    created_at: Date
    replay_id?: string | null
  }
  webhook_endpoints: {
    id: string
    partner_id: string
    environment: Environment
    url: string
    secret_sealed: Uint8Array
    active: boolean
    inactive_reason: string | null
    failing_since: Date | null
    created_at: Date
    updated_at: Date
  }
  webhook_replays: {
    id: string
    endpoint_id: string
    partner_id: string
    environment: Environment
    from_at: Date
    to_at: Date
    types: HistoryEvent[] | null
    status: ReplayStatus
    position: number
    last_position: number
    event_count: number
    queued_count: number
    created_at: Date
    ended_at: Date | null
  }
}
