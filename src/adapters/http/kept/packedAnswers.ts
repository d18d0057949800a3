/** Short answers as bytes, in ages that take turns: of what is kept in them the collector of garbage sees nothing, and memory holds nothing else. */
import type { AsOf } from "../../../model/block.ts"
import { shortLength } from "../turns/giving.ts"
import { Interned } from "./interned.ts"
import type { KeptAnswer, Spoken } from "./keptAnswer.ts"
import { entry, flag, hashOf, PackedAge, textsOf } from "./packedAge.ts"

/** Ages that fill the room. */
const ages = 8
/** An age is one piece of memory, and where an entry begins is a number of 32 bits. */
const largestAge = 2 ** 28
/** What an age's index takes beside its bytes. */
const indexShare = 0.1
/** Of the oldest age, what was wanted begins the newest one, up to so much of it: what is wanted once passes through. */
const mostGoesOn = 3 / 4
/** Of an age, what one answer may take. */
const largestShare = 1 / 4

/** What many answers have alike is an object still. Where answers have too little alike for that, fewer of them are kept. */
const mostAlike = 10_000

/** What answers have alike. */
type Kind = Pick<KeptAnswer, "endpoint" | "headers">

/** Where an entry keeps what is not text. */
const [pointsAt, kindAt, figuresAt] = [entry.own, entry.own + 1, entry.own + 2]

export interface PackedAnswers {
  readonly look: (target: string) => Spoken | undefined
  readonly find: (target: string) => KeptAnswer | undefined
  /** In place of an older one; false = it is not for this room. Where many targets fall together, neither is kept. */
  readonly keep: (target: string, answer: KeptAnswer) => boolean
  /** The answer is of these points by now; where too many are known, it stays of its own. */
  readonly standAt: (target: string, points: ReadonlyArray<AsOf>) => void
  readonly forget: (target: string) => void
  readonly forgetAll: () => void
}

export const makePackedAnswers = (mostBytes: number): PackedAnswers => {
  const ageBytes = Math.min(largestAge, Math.floor((mostBytes * (1 - indexShare)) / ages))
  const points = new Interned<ReadonlyArray<AsOf>>(mostAlike, (list) => list)
  const kinds = new Interned(mostAlike, nameOfKind)
  /** The newest first: a target of several ages means its entry in the first of them. */
  let ring: Array<PackedAge> = []
  /** The target that was looked for last, its hash, and where it was found: most are looked for three times. */
  let [target, hash, at] = ["", 0, -1]
  let age: PackedAge | undefined

  /** Afterwards `age` and `at` are those of the entry; false = there is none. */
  const seek = (wanted: string): boolean => {
    if (wanted !== target) [target, hash, at] = [wanted, hashOf(wanted), -1]
    else if (at !== -1) return true
    for (let place = 0; place < ring.length; place++) {
      age = ring[place]!
      at = age.find(target, hash)
      if (at !== -1) return true
    }
    return false
  }

  const useAlike = (list: ReadonlyArray<AsOf>, kind: Kind): readonly [points: number, kind: number] | undefined => {
    const number = points.use(list)
    if (number === undefined) return undefined
    const ofKind = kinds.use(kind)
    if (ofKind !== undefined) return [number, ofKind]
    points.release(number)
    return undefined
  }

  /** The same; where too many are known, the oldest ages begin anew until there are numbers: the second time round nothing of them is wanted. */
  const makeAlike = (list: ReadonlyArray<AsOf>, kind: Kind): ReturnType<typeof useAlike> => {
    let alike = useAlike(list, kind)
    for (let left = 2 * ring.length; alike === undefined && left > 0; left--) {
      at = -1
      ring.unshift(renewOldest())
      alike = useAlike(list, kind)
    }
    return alike
  }

  const drop = (from: PackedAge, entryAt: number): void => {
    points.release(from.words[entryAt + pointsAt]!)
    kinds.release(from.words[entryAt + kindAt]!)
  }

  /** The oldest age as the newest one, with what was wanted of it. */
  const renewOldest = (): PackedAge => {
    const oldest = ring.pop()!
    const isNewest = (entryAt: number): boolean => {
      const [name, own] = [oldest.nameOf(entryAt), oldest.words[entryAt + entry.hash]!]
      return ring.every((newer) => newer.find(name, own) === -1)
    }
    oldest.renew(
      ageBytes * mostGoesOn,
      (entryAt) => (oldest.flagsOf(entryAt) & flag.wanted) !== 0 && isNewest(entryAt),
      (entryAt) => drop(oldest, entryAt),
    )
    return oldest
  }

  const forget = (wanted: string): void => {
    if (!seek(wanted)) return
    for (const each of ring) each.forget(target, hash)
    at = -1
  }

  const withRoom = (size: number): PackedAge => {
    const newest = ring[0]
    if (newest !== undefined && newest.end + size <= newest.room) return newest
    const next = ring.length < ages ? new PackedAge(ageBytes) : renewOldest()
    ring.unshift(next)
    return next
  }

  return {
    look: (wanted) => {
      if (!seek(wanted)) return undefined
      return spokenOf(age!, at, points.at(age!.words[at + pointsAt]!))
    },
    find: (wanted) => {
      if (!seek(wanted)) return undefined
      const found = age!
      found.want(at)
      return {
        ...kinds.at(found.words[at + kindAt]!),
        ...spokenOf(found, at, points.at(found.words[at + pointsAt]!)),
        text: found.textOf(at),
        digest: found.markOf(at),
      }
    },
    keep: (wanted, answer) => {
      const { endpoint, headers, figures, text, digest } = answer
      const texts = text.length > shortLength ? undefined : textsOf(wanted, digest, text)
      if (texts === undefined || texts.size > ageBytes * largestShare) return false
      const alike = makeAlike(answer.points, { endpoint, headers })
      if (alike === undefined) return false
      const own = [...alike, figures ?? 0] as const
      const newest = withRoom(texts.size)
      const itsHash = wanted === target ? hash : hashOf(wanted)
      if (newest.add(texts, itsHash, own, figures === undefined ? 0 : flag.figures) === -1) {
        points.release(own[0])
        kinds.release(own[1])
        forget(wanted)
      }
      at = -1
      return true
    },
    standAt: (wanted, list) => {
      if (!seek(wanted)) return
      const { words } = age!
      const [before, number] = [words[at + pointsAt]!, points.use(list)]
      if (number === undefined) return
      words[at + pointsAt] = number
      points.release(before)
    },
    forget,
    forgetAll: () => {
      ring = []
      points.clear()
      kinds.clear()
      at = -1
    },
  }
}

const nameOfKind = ({ endpoint, headers }: Kind): string => {
  let name = endpoint
  for (const header in headers) name += `\n${header}\n${headers[header]}`
  return name
}

const spokenOf = (age: PackedAge, at: number, points: ReadonlyArray<AsOf>): Spoken => ({
  points,
  figures: (age.flagsOf(at) & flag.figures) === 0 ? undefined : age.words[at + figuresAt]!,
})
