/** Answers that need not be made: those that were made before and are true still, and those that are being made for somebody else. */
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { KeptAnswer, Spoken } from "./keptAnswer.ts"
import type { KeptAnswers } from "./keptAnswers.ts"
import type { NewestPoints, Standing } from "./newestPoints.ts"

/** Somebody makes an answer. */
export interface Making {
  /**
   * What was made. It is kept where the ledgers stood at its points before the making began already: then all that went
   * into it is of those revisions, however many statements there were. Where one went back meanwhile it counts for nothing.
   */
  readonly made: (answer: KeptAnswer) => void
  /** Once, whatever came of it. */
  readonly end: () => void
}

export interface AtHand {
  /** The answer if it is kept and true, and where its ledgers stand now; nobody waits for one that is known to be older than its ledgers. Never rejects. */
  readonly find: (target: string) => Promise<Found | undefined> | undefined
  /** The same, once what somebody else makes at the moment is made; undefined = nobody does. */
  readonly join: (target: string) => Promise<Found | undefined> | undefined
  /** `chains`: those that the answer may be of. */
  readonly begin: (target: string, chains: ReadonlyArray<ChainId>) => Making
}

export interface Found {
  readonly answer: KeptAnswer
  /** As many, in the same order, as the answer has. */
  readonly points: ReadonlyArray<AsOf>
}

interface Going {
  readonly chains: ReadonlyArray<ChainId>
  /** Those that wait for it. */
  waiting?: { readonly ended: Promise<void>; readonly end: () => void }
}

const waitedFor = (): NonNullable<Going["waiting"]> => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  return { ended, end }
}

export const makeAtHand = (newest: NewestPoints, kept: KeptAnswers): AtHand => {
  const making = new Map<string, Going>()
  const isUnmoved = ({ figures }: Spoken, own: AsOf, wanted: AsOf): boolean =>
    figures !== undefined && newest.isUnmoved(figures, own, wanted)

  const search = async (
    target: string,
    chains: ReadonlyArray<ChainId>,
    made?: Promise<void>,
  ): Promise<Found | undefined> => {
    const points = await Promise.all(chains.map(newest.read))
    await made
    const spoken = kept.look(target)
    if (spoken === undefined) return undefined
    // Only figures are the same behind a block: who asks for anything else does not wait until it is known which of them moved.
    if (spoken.figures !== undefined && pointsWhereTrue(spoken, points, isUnmoved) === undefined)
      await Promise.all(chains.map(newest.learned))
    const answer = kept.find(target)
    if (answer === undefined) return undefined
    const standing = pointsWhereTrue(answer, points, isUnmoved)
    if (standing === undefined) return undefined
    // Blocks that did not touch it are its own from now on: for how long back it is known what moved has an end.
    if (!standing.every((point, index) => isTrue(answer, answer.points[index]!, point))) kept.standAt(target, standing)
    return { answer, points: standing }
  }

  return {
    find: (target) => {
      const answer = kept.look(target)
      if (answer === undefined) return undefined
      const mayBeTrue = (own: AsOf): boolean =>
        isTrue(answer, own, newest.seen(own.chainId) ?? own) || isUnmoved(answer, own, own)
      if (!answer.points.every(mayBeTrue)) return undefined
      return search(
        target,
        answer.points.map(({ chainId }) => chainId),
      )
    },
    join: (target) => {
      const going = making.get(target)
      if (going === undefined) return undefined
      going.waiting ??= waitedFor()
      return search(target, going.chains, going.waiting.ended)
    },
    begin: (target, chains) => {
      const before = chains.map(newest.seen)
      const losses = newest.losses()
      const own: Going = { chains }
      if (!making.has(target)) making.set(target, own)
      return {
        made: (answer) => {
          if (newest.losses() !== losses) return
          const isOfThen = (own: AsOf): boolean => isSame(answer, own, before[chains.indexOf(own.chainId)])
          if (answer.points.every(isOfThen)) kept.keep(target, answer)
          for (const point of answer.points) {
            // A ledger behind what it had shown: one look tells whether it went back.
            if (point.revision < (newest.seen(point.chainId)?.revision ?? 0)) void newest.read(point.chainId)
            newest.see(point)
          }
        },
        end: () => {
          if (making.get(target) === own) making.delete(target)
          own.waiting?.end()
        },
      }
    },
  }
}

/** Whether a ledger that stood there gave the same answer as one at the answer's own point. */
const isSame = ({ figures }: Spoken, own: Standing, other: Standing | undefined): boolean =>
  own.figures === other?.figures &&
  own.hash === other.hash &&
  (figures !== undefined || own.revision === other.revision)

/** An answer of a newer ledger than is wanted is as true. */
const isTrue = (answer: Spoken, own: Standing, wanted: Standing): boolean =>
  own.revision > wanted.revision || isSame(answer, own, wanted)

/** Where its ledgers stand; undefined = it is not known to be true there. An answer of a newer ledger tells itself where that stands. */
const pointsWhereTrue = (
  answer: Spoken,
  wanted: ReadonlyArray<AsOf | undefined>,
  isUnmoved: (answer: Spoken, own: AsOf, wanted: AsOf) => boolean,
): Found["points"] | undefined => {
  const points: Array<AsOf> = []
  for (const own of answer.points) {
    const point = wanted.find((it) => it?.chainId === own.chainId)
    if (point === undefined || !(isTrue(answer, own, point) || isUnmoved(answer, own, point))) return undefined
    points.push(own.revision > point.revision ? own : point)
  }
  return points.length === 1 ? aloneOf(points[0]!) : points
}

/** One list of a point: what is made of it is made once. */
const lists = new WeakMap<AsOf, ReadonlyArray<AsOf>>()
const aloneOf = (point: AsOf): ReadonlyArray<AsOf> => {
  const found = lists.get(point)
  if (found !== undefined) return found
  const made = [point]
  lists.set(point, made)
  return made
}
