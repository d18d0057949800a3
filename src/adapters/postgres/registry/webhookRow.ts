/** A webhook's row in the registry. */
import type { Webhook, WebhookBatch } from "../../../model/events/webhook.ts"

export interface WebhookRow {
  readonly id: string
  readonly version: number
  readonly url: string
  readonly secret: string
  readonly chains: string
  readonly filter: string
  readonly only_final: boolean
  readonly created_at: number
  readonly state: Webhook["state"]
  readonly problem?: string
  readonly positions: string
  readonly awaited: string
  readonly sequence: number
  readonly batch_id?: string
  readonly batch_body?: string
  readonly batch_positions?: string
  readonly batch_awaited?: string
  readonly attempts: number
  readonly failing_since?: number
  readonly next_try_at?: number
}

export const webhookOf = (row: WebhookRow): Webhook => {
  const batch: WebhookBatch | undefined =
    row.batch_id === undefined
      ? undefined
      : {
          id: row.batch_id,
          body: row.batch_body!,
          positions: row.batch_positions!,
          awaited: JSON.parse(row.batch_awaited!),
        }
  return {
    id: row.id,
    version: row.version,
    url: row.url,
    secret: row.secret,
    chains: JSON.parse(row.chains),
    filter: JSON.parse(row.filter),
    onlyFinal: row.only_final,
    createdAt: row.created_at,
    state: row.state,
    ...(row.problem === undefined ? {} : { problem: row.problem }),
    positions: row.positions,
    awaited: JSON.parse(row.awaited),
    sequence: row.sequence,
    ...(batch && { batch }),
    attempts: row.attempts,
    ...(row.failing_since === undefined ? {} : { failingSince: row.failing_since }),
    ...(row.next_try_at === undefined ? {} : { nextTryAt: row.next_try_at }),
  }
}
