/** Deliveries as server-sent events. */
import type { Batch } from "../../../domain/events/groups.ts"
import type { Delivery } from "../../../model/events/event.ts"

export type { Batch }

/** The same delivery goes to many. */
const bodies = new WeakMap<Delivery, string>()
export const dataOf = (delivery: Delivery): string => {
  const known = bodies.get(delivery)
  if (known !== undefined) return known
  const text = JSON.stringify(delivery.data)
  bodies.set(delivery, text)
  return text
}

export const textOf = (deliveries: ReadonlyArray<Delivery>, idOf: (delivery: Delivery) => string): string =>
  deliveries.map((it) => `id: ${idOf(it)}\nevent: ${it.type}\ndata: ${dataOf(it)}\n\n`).join("")
