/** Answers of a chain's ledger that are kept while they are true: as long as the ledger's revision is theirs. Those that nobody asked for lately go first. */
import type { AsOf } from "../../../model/block.ts"
import { makeLastUsed } from "../../../model/time/lastUsed.ts"

/** An answer without the headers of every answer. */
export interface KeptAnswer {
  /** Of the endpoint's row. */
  readonly endpoint: string
  /** What it speaks of: of each chain one. */
  readonly points: ReadonlyArray<AsOf>
  readonly text: string
  /** Its own, and those of its tag. */
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
}

export interface KeptAnswers {
  readonly has: (target: string) => boolean
  /** Of an answer that nobody takes yet. */
  readonly pointsOf: (target: string) => KeptAnswer["points"] | undefined
  readonly find: (target: string) => KeptAnswer | undefined
  /** In place of an older one; a newer one stays. One that is too large for the whole is not kept. */
  readonly keep: (target: string, answer: KeptAnswer) => void
  readonly forgetAll: () => void
}

/** That an answer takes beside its text and its target. */
const overheadBytes = 1000
/** Of the whole that one answer may take. */
const largestShare = 1 / 8

/** Of the same question's two answers, one is newer of every chain or of none: ledgers only go on. */
const isNewer = (one: KeptAnswer, other: KeptAnswer): boolean =>
  one.points.some(({ chainId, revision }) =>
    other.points.some((it) => it.chainId === chainId && revision > it.revision),
  )

const bytesOf = (target: string, { text }: KeptAnswer): number => 2 * (text.length + target.length) + overheadBytes

export const makeKeptAnswers = (mostBytes: number): KeptAnswers => {
  const answers = makeLastUsed(mostBytes, (answer: KeptAnswer, target) => bytesOf(target, answer))
  return {
    forgetAll: answers.forgetAll,
    has: (target) => answers.look(target) !== undefined,
    pointsOf: (target) => answers.look(target)?.points,
    find: answers.find,
    keep: (target, answer) => {
      if (bytesOf(target, answer) > mostBytes * largestShare) return
      const before = answers.look(target)
      if (before === undefined || !isNewer(before, answer)) answers.keep(target, answer)
    },
  }
}
