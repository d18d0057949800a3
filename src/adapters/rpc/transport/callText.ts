/** A call as a refusal names it: its method and its parameters, short and on one line. Pure. */
import { beginningOf } from "../../../model/printable.ts"
import type { RpcCall } from "./answers.ts"

const mostLength = 160
const mostText = 68
const mostItems = 2

/** `eth_getBlockByNumber("0x32", true)`. */
export const callText = ({ method, params }: Pick<RpcCall<unknown>, "method" | "params">): string =>
  cut(`${method}(${params.map(shortOf).join(", ")}`, mostLength - 1).concat(")")

/** Lists are cut after two items: those of topics and of tokens are long. */
const shortOf = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(cut(value, mostText))
  if (Array.isArray(value)) {
    const more = value.length > mostItems ? [`… ${value.length - mostItems} more`] : []
    return `[${[...value.slice(0, mostItems).map(shortOf), ...more].join(", ")}]`
  }
  if (typeof value !== "object" || value === null) return String(value)
  // The block first, which tells one question from the next.
  const fields = Object.entries(value).sort(([a], [b]) => Number(isBlock(b)) - Number(isBlock(a)))
  return `{${fields.map(([field, own]) => `${field}: ${shortOf(own)}`).join(", ")}}`
}

const isBlock = (field: string): boolean => /block/i.test(field)

const cut = (text: string, most: number): string => (text.length > most ? `${beginningOf(text, most)}…` : text)
