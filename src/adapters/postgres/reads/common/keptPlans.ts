/** Which statements stay prepared with their plan: of those that are asked again and again the ones asked most, as many as the server has memory for. */
import { mostPlans } from "../../database/client.ts"
import { isName } from "./rendered.ts"

/** Asked so often, a statement is worth it. */
const enoughTimes = 5
/** By how much more is asked for what takes a place than for what leaves it: those that are asked alike would change places for ever. */
const enoughMore = 2
/** Statements whose questions are counted without their plans being kept. */
const mostCounted = 5000
/** After so many questions each counts half: what was asked last week gives way to what is asked today. */
const fadesAfter = 20_000

/** A statement as the driver holds it: texts and what stands between them. */
interface Parts {
  readonly strings?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<unknown>
}

interface Kept {
  readonly weight: number
  count: number
}

export interface KeptPlans {
  /** The same statement, not to be prepared where its plan is not kept. `weight`: of how many the most is. */
  readonly prepared: <S extends object>(statement: S, weight?: number) => S
  /** Whether this text's is kept, the asking counted. */
  readonly keeps: (text: string, weight: number) => boolean
}

/** `most`: a plan takes a third of a megabyte of each connection that has run it. What leaves is given back by each connection once it is in the way of others (`most_prepared` of the driver). */
export const makeKeptPlans = (most = mostPlans.ofOneChain): KeptPlans => {
  let weights = 0
  let asked = 0
  const kept = new Map<string, Kept>()
  const counts = new Map<string, number>()

  const fade = () => {
    asked = 0
    for (const plan of kept.values()) plan.count >>= 1
    for (const [text, count] of counts)
      if (count > 1) counts.set(text, count >> 1)
      else counts.delete(text)
  }

  /** Whether there is a place of this weight, or is one now that those asked least have left theirs. */
  const findsRoom = (weight: number, count: number): boolean => {
    let over = weights + weight - most
    if (over <= 0) return true
    if (weight > most) return false
    const leaving: Array<string> = []
    let lost = 0
    for (const [text, plan] of [...kept].sort(([, a], [, b]) => a.count - b.count)) {
      if (over <= 0) break
      leaving.push(text)
      over -= plan.weight
      lost += plan.count * plan.weight
    }
    if (count * weight < lost * enoughMore) return false
    for (const text of leaving) {
      weights -= kept.get(text)!.weight
      kept.delete(text)
    }
    return true
  }

  const isKept = (text: string, weight: number): boolean => {
    if (++asked >= fadesAfter) fade()
    const plan = kept.get(text)
    if (plan !== undefined) {
      plan.count++
      return true
    }
    const count = (counts.get(text) ?? 0) + 1
    if (count % enoughTimes === 0 && findsRoom(weight, count)) {
      counts.delete(text)
      kept.set(text, { weight, count })
      weights += weight
      return true
    }
    if (counts.size >= mostCounted) counts.clear()
    counts.set(text, count)
    return false
  }

  return {
    keeps: isKept,
    prepared: (statement, weight = 1) =>
      isKept(textOf(statement as Parts), weight) ? withOptions(statement, { weight }) : unprepared(statement),
  }
}

/** Planned anew whenever it is asked. */
export const unprepared = <S extends object>(statement: S): S => withOptions(statement, { prepare: false })

/** `weight`: a connection keeps it ahead of those that nobody counts. */
const withOptions = <S extends object>(statement: S, more: object): S => {
  Object.assign((statement as S & { options: object }).options, more)
  return statement
}

/** With its names, and a mark for each value. */
const textOf = ({ strings = [], args = [] }: Parts): string => {
  let text = strings[0] ?? ""
  for (let index = 0; index < args.length; index++) text += partOf(args[index]) + (strings[index + 1] ?? "")
  return text
}

const partOf = (part: unknown): string => {
  if (Array.isArray(part)) return part.map(partOf).join("")
  if (Object(part).strings !== undefined) return textOf(part as Parts)
  return isName(part) ? part.value : "$"
}
