import type { ColumnType } from 'kysely'
import type { Environment } from '../../kernel/operation.ts'
import type { NewEvent } from './event-view.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
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
  }
}

export const ORDER_EVENTS = [
  'order.recorded',
  'order.paid',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
] as const
/** A transfer's troubles, which carry their reason. */
export const TRANSFER_EVENTS = ['transfer.failed', 'transfer.action_required'] as const
export const CASE_EVENT = 'brokerage.case_completed'

/** Everything that the history shows. */
export const HISTORY_EVENTS = [...ORDER_EVENTS, ...TRANSFER_EVENTS, CASE_EVENT] as const
type HistoryEvent = (typeof HISTORY_EVENTS)[number]

/** Sent on request to try an endpoint out. It reports no change, so the history does not show it. */
export const TEST_EVENT = 'webhook.test'

export type EventType = HistoryEvent | typeof TEST_EVENT

export const REPLAY_STATUSES = ['running', 'done', 'cancelled'] as const
type ReplayStatus = (typeof REPLAY_STATUSES)[number]
