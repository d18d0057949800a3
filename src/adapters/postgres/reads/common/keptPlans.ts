/** Which statements stay prepared with their plan: those of one chain that are asked again and again, as many as the server has memory for. */
import { isName } from "./rendered.ts"

/** A plan takes a third of a megabyte of each connection that has run it. */
const mostKept = 100
/** Of statements over many chains, parts of one chain: each takes about so much of a connection that it is kept on. */
export const mostKeptParts = 2400
/** Asked so often, a statement is worth it. */
const enoughTimes = 5
/** Statements whose questions are counted. */
const mostCounted = 5000

/** A statement as the driver holds it: texts and what stands between them. */
interface Parts {
  readonly strings?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<unknown>
}

export interface KeptPlans {
  /** The same statement, not to be prepared where its plan is not kept. `weight`: of how many the most is. */
  readonly prepared: <S extends object>(statement: S, weight?: number) => S
  /** Whether this text's is kept, the asking counted. */
  readonly keeps: (text: string, weight: number) => boolean
}

export const makeKeptPlans = (most = mostKept): KeptPlans => {
  let weights = 0
  const kept = new Set<string>()
  const counts = new Map<string, number>()
  const isKept = (text: string, weight: number): boolean => {
    if (kept.has(text)) return true
    if (weights + weight > most) return false
    const count = (counts.get(text) ?? 0) + 1
    if (count < enoughTimes) {
      if (counts.size >= mostCounted) counts.clear()
      counts.set(text, count)
      return false
    }
    counts.delete(text)
    kept.add(text)
    weights += weight
    return true
  }
  return {
    keeps: isKept,
    prepared: (statement, weight = 1) =>
      isKept(textOf(statement as Parts), weight) ? statement : unprepared(statement),
  }
}

/** Planned anew whenever it is asked. */
export const unprepared = <S extends object>(statement: S): S => {
  Object.assign((statement as S & { options: object }).options, { prepare: false })
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
