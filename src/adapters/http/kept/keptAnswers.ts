/** Answers of a chain's ledger that are kept while they are true: as long as the ledger's revision is theirs, or, of figures alone, these are. Those that nobody asked for lately go first. */
import type { AsOf } from "../../../model/block.ts"
import { makeLastUsed } from "../../../model/time/lastUsed.ts"
import type { KeptAnswer, Spoken } from "./keptAnswer.ts"
import { isAscii } from "./packedAge.ts"
import { makePackedAnswers } from "./packedAnswers.ts"

export interface KeptAnswers {
  readonly has: (target: string) => boolean
  /** Of one that nobody takes yet. */
  readonly look: (target: string) => Spoken | undefined
  readonly find: (target: string) => KeptAnswer | undefined
  /** In place of an older one; a newer one stays. One that is too large for the whole is not kept. */
  readonly keep: (target: string, answer: KeptAnswer) => void
  /** Blocks that changed nothing of a kept answer are its own from now on. */
  readonly standAt: (target: string, points: ReadonlyArray<AsOf>) => void
  readonly forgetAll: () => void
}

/** That a long answer takes beside its text and its target. */
const overheadBytes = 450
/** Of the whole that one answer may take. */
const largestShare = 1 / 8

/** Of the same question's two answers, one is newer of every chain or of none: ledgers only go on. */
const isNewer = (one: Spoken, other: Spoken): boolean =>
  one.points.some(({ chainId, revision }) =>
    other.points.some((it) => it.chainId === chainId && revision > it.revision),
  )

/** The runtime keeps a text in one byte a character where each fits; of a text with other letters two are counted for each. */
const bytesOf = (target: string, { text }: KeptAnswer): number =>
  (isAscii(text) ? text.length : 2 * text.length) + target.length + overheadBytes

/** One that is kept as it is: blocks that change nothing of it come in place of its points. */
type LongAnswer = Omit<KeptAnswer, "points"> & { points: KeptAnswer["points"] }

/** Half of the room is for short answers, of which there are many, half for long ones, each an object of its own. */
export const makeKeptAnswers = (mostBytes: number): KeptAnswers => {
  const short = makePackedAnswers(mostBytes / 2)
  const long = makeLastUsed(mostBytes / 2, (answer: LongAnswer, target) => bytesOf(target, answer))
  const look = (target: string): Spoken | undefined => short.look(target) ?? long.look(target)
  return {
    look,
    has: (target) => look(target) !== undefined,
    find: (target) => short.find(target) ?? long.find(target),
    keep: (target, answer) => {
      if (bytesOf(target, answer) > mostBytes * largestShare) return
      const before = look(target)
      if (before !== undefined && isNewer(before, answer)) return
      if (short.keep(target, answer)) long.forget(target)
      else {
        short.forget(target)
        long.keep(target, { ...answer })
      }
    },
    standAt: (target, points) => {
      short.standAt(target, points)
      const found = long.look(target)
      if (found !== undefined) found.points = points
    },
    forgetAll: () => {
      short.forgetAll()
      long.forgetAll()
    },
  }
}
