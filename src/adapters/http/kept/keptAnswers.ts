/** Answers of a chain's ledger that are kept while they are true: as long as the ledger's revision is theirs, or, of figures alone, these are. Those that nobody asked for lately go first. */
import type { AsOf } from "../../../model/block.ts"
import { makeLastUsed } from "../../../model/time/lastUsed.ts"
import type { Places } from "./unmoved.ts"

/** An answer without the headers of every answer. */
export interface KeptAnswer {
  /** Of the endpoint's row. */
  readonly endpoint: string
  /** What it speaks of: of each chain one. Blocks that change nothing of the answer come in their place. */
  points: ReadonlyArray<AsOf>
  /** All of it is figures, of these places: then it is true for as long as these are the same. */
  readonly figures: Places | undefined
  readonly text: string
  /** Its own, and those of its tag. */
  readonly headers: Readonly<Record<string, string>>
  /** Of its tag, what does not hang on the points. */
  readonly digest: string
}

export interface KeptAnswers {
  readonly has: (target: string) => boolean
  /** One that nobody takes yet. */
  readonly look: (target: string) => KeptAnswer | undefined
  readonly find: (target: string) => KeptAnswer | undefined
  /** In place of an older one; a newer one stays. One that is too large for the whole is not kept. */
  readonly keep: (target: string, answer: KeptAnswer) => void
  readonly forgetAll: () => void
}

/** That an answer takes beside its text and its target, as measured with those of balances. */
const overheadBytes = 450
/** Of the whole that one answer may take. */
const largestShare = 1 / 8

/** Of the same question's two answers, one is newer of every chain or of none: ledgers only go on. */
const isNewer = (one: KeptAnswer, other: KeptAnswer): boolean =>
  one.points.some(({ chainId, revision }) =>
    other.points.some((it) => it.chainId === chainId && revision > it.revision),
  )

/** The runtime keeps a text in one byte a character where each fits; of a text with other letters two are counted for each. */
const bytesOf = (target: string, { text }: KeptAnswer): number =>
  (isAscii(text) ? text.length : 2 * text.length) + target.length + overheadBytes

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** Of so many kinds of answers the headers are one object for all. */
const mostHeaders = 500

export const makeKeptAnswers = (mostBytes: number): KeptAnswers => {
  const shared = makeLastUsed<KeptAnswer["headers"]>(mostHeaders)
  const alike = (headers: KeptAnswer["headers"]): KeptAnswer["headers"] => {
    const name = JSON.stringify(headers)
    const found = shared.find(name)
    if (found === undefined) shared.keep(name, headers)
    return found ?? headers
  }
  const answers = makeLastUsed(mostBytes, (answer: KeptAnswer, target) => bytesOf(target, answer))
  return {
    forgetAll: answers.forgetAll,
    has: (target) => answers.look(target) !== undefined,
    look: answers.look,
    find: answers.find,
    keep: (target, answer) => {
      if (bytesOf(target, answer) > mostBytes * largestShare) return
      const before = answers.look(target)
      if (before === undefined || !isNewer(before, answer)) {
        answers.keep(target, { ...answer, headers: alike(answer.headers) })
      }
    },
  }
}
