/** An answer as it is kept. */
import type { AsOf } from "../../../model/block.ts"
import type { Places } from "./unmoved.ts"

/** What an answer speaks of. */
export interface Spoken {
  /** Of each chain one. */
  readonly points: ReadonlyArray<AsOf>
  /** All of it is figures, of these places: then it is true for as long as these are the same. */
  readonly figures: Places | undefined
}

/** An answer without the headers of every answer. */
export interface KeptAnswer extends Spoken {
  /** The path of the endpoint's row: several rows have one id. */
  readonly endpoint: string
  readonly text: string
  /** Its own, and those of its tag. */
  readonly headers: Readonly<Record<string, string>>
  /** Of its tag, what does not hang on the points. */
  readonly digest: string
}
