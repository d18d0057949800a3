/** For whom something is read: where reads wait for one another, callers are served in rotation, and short ones do not wait for long ones. */
import { Context } from "effect"

export interface Reader {
  /** Empty = the service itself, and what many callers ask together. */
  readonly caller: string
  /** It has a costly turn: it may take long. */
  readonly isCostly: boolean
}

export const ReadFor = Context.Reference<Reader>("cowry/ReadFor", {
  defaultValue: () => ({ caller: "", isCostly: false }),
})
