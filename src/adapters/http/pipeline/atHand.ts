/** Answers that need not be made: those that were made before and are true still, and those that are being made for somebody else. */
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { type KeptAnswer, makeKeptAnswers } from "./keptAnswers.ts"
import type { NewestPoints } from "./newestPoints.ts"

/** Somebody makes an answer. */
export interface Making {
  /**
   * What was made, of `point`. It is kept where the ledger stood there before the making began already: then all that went
   * into it is of that revision, however many statements there were.
   */
  readonly made: (answer: KeptAnswer) => void
  /** Once, whatever came of it. */
  readonly end: () => void
}

export interface AtHand {
  /** The answer if it is kept and true, and where the ledger stands that it is true of. Never rejects. */
  readonly find: (target: string) => Promise<Found | undefined> | undefined
  /** The same, once what somebody else makes at the moment is made; undefined = nobody does. */
  readonly join: (target: string) => Promise<Found | undefined> | undefined
  readonly begin: (target: string, chainId: ChainId) => Making
}

export interface Found {
  readonly answer: KeptAnswer
  readonly point: AsOf
}

interface Going {
  readonly chainId: ChainId
  readonly ended: Promise<void>
}

export const makeAtHand = (points: NewestPoints, mostBytes: number): AtHand => {
  const kept = makeKeptAnswers(mostBytes)
  const making = new Map<string, Going>()

  /** A newer answer than is wanted is as true; it tells itself where the ledger stands. */
  const trueAt = (target: string, point: AsOf): Found | undefined => {
    const answer = kept.find(target)
    if (answer === undefined || answer.point.revision < point.revision) return undefined
    return { answer, point: answer.point.revision === point.revision ? point : answer.point }
  }

  const search = async (target: string, chainId: ChainId, made?: Promise<void>): Promise<Found | undefined> => {
    const point = await points.read(chainId)
    await made
    return point && trueAt(target, point)
  }

  return {
    find: (target) => {
      const found = kept.find(target)
      return found && search(target, found.point.chainId)
    },
    join: (target) => {
      const made = making.get(target)
      return made && search(target, made.chainId, made.ended)
    },
    begin: (target, chainId) => {
      const before = points.seen(chainId)
      let end = () => {}
      const own: Going = {
        chainId,
        ended: new Promise((resolve) => {
          end = resolve
        }),
      }
      if (!making.has(target)) making.set(target, own)
      return {
        made: (answer) => {
          if (answer.point.revision === before) kept.keep(target, answer)
          points.see(answer.point)
        },
        end: () => {
          if (making.get(target) === own) making.delete(target)
          end()
        },
      }
    },
  }
}
