/** A block of which the logs that came are disproved. */
import type { Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"

export interface Finding {
  readonly header: SourceHeader
  readonly own: ReadonlyArray<Log>
  readonly why: string
  /** What it holds, where that is known. */
  readonly right?: ReadonlyArray<Log> | undefined
}
