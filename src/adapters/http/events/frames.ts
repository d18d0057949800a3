/** Deliveries as server-sent events. */
import type { Batch } from "../../../domain/events/groups.ts"
import type { Delivery } from "../../../model/events/event.ts"
import { positionsText } from "../../../model/events/position.ts"
import type { ChainId } from "../../../model/primitives.ts"

const encoder = new TextEncoder()

/** The same body goes to many. */
const bodies = new WeakMap<object, string>()
const dataOf = ({ data }: Delivery): string => {
  const known = bodies.get(data)
  if (known !== undefined) return known
  const text = JSON.stringify(data)
  bodies.set(data, text)
  return text
}

export const textOf = (deliveries: ReadonlyArray<Delivery>, idOf: (delivery: Delivery) => string): string =>
  deliveries.map((it) => `id: ${idOf(it)}\nevent: ${it.type}\ndata: ${dataOf(it)}\n\n`).join("")

/** What an id of many chains says before and behind one's own position: that one moves, and there may be hundreds of others. */
export const textsAround = (texts: ReadonlyMap<ChainId, string>, chainId: ChainId) => {
  const parts = { ahead: "", behind: "" }
  let isBehind = false
  for (const [id, text] of texts) {
    if (id === chainId) isBehind = true
    else if (isBehind) parts.behind += `~${text}`
    else parts.ahead += `${text}~`
  }
  return parts
}

/** Of one chain: made once, whoever is sent it. */
export const bytesOf = (batch: Batch): Uint8Array => {
  batch.bytes ??= encoder.encode(textOf(batch.deliveries, ({ position }) => positionsText([position])))
  return batch.bytes
}

/** A delivery by itself, which many may be sent: a heartbeat. */
const single = new WeakMap<Delivery, Batch>()
export const batchOf = (delivery: Delivery): Batch => {
  const batch = single.get(delivery) ?? { deliveries: [delivery] }
  single.set(delivery, batch)
  return batch
}
