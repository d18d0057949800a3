/** What a pool's factory says of it: whether it made this very contract for these tokens. */

import { Effect } from "effect"
import { addressAt } from "../../../domain/ingest/decode/abi.ts"
import type { Address } from "../../../model/primitives.ts"
import { makeBatchCache } from "../../../model/time/batchCache.ts"
import type { AskedState } from "../../../ports/Pools.ts"
import type { AskState } from "../contracts/view.ts"
import { abiWord } from "../wire/abi.ts"

/** What a contract says of itself. */
export interface Claim {
  readonly pool: Address
  readonly token0: Address
  readonly token1: Address
  readonly factory: Address
}

/** `silent`: the factory has no function that we know to ask. */
export type Verdict = "made" | "denied" | "silent"

/** One kind's way to look a pool up in its factory. */
interface Register {
  /** Of the pool, whose answer is the last argument. */
  readonly asked?: string
  /** Whether that is an int24, not an uint24. */
  readonly isSigned?: boolean
  readonly lookup: string
  /** Last arguments to try instead. */
  readonly ends?: ReadonlyArray<string>
}

const zero = abiWord(0)
const bools = [zero, abiWord(1)]

const registers: ReadonlyArray<Register> = [
  // getPair(address,address): Uniswap V2
  { lookup: "0xe6a43905" },
  // getPool(address,address,uint24) by fee(): Uniswap V3
  { lookup: "0x1698ee82", asked: "0xddca3f43" },
  // the same by swapFeeUnits(): KyberSwap Elastic
  { lookup: "0x1698ee82", asked: "0xc79a590e" },
  // getPair(address,address,bool), getPool(address,address,bool): Solidly, by stable or not
  { lookup: "0x6801cc30", ends: bools },
  { lookup: "0x79bc57d5", ends: bools },
  // getPool(address,address,int24) by tickSpacing(): concentrated pools of Velodrome's kind
  { lookup: "0x28af8d0b", asked: "0xd0c93a7c", isSigned: true },
  // poolByPair(address,address): Algebra
  { lookup: "0xd9a641e1" },
]

/** A verdict on each claim, in order. */
export const makeJudge = (ask: (at: AskedState) => AskState) => {
  /** Factories with the register that they keep. */
  const knownRegisters = makeBatchCache<Address, Register>({ capacity: 10_000 })

  return Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>, at: AskedState) {
    const known = yield* knownRegisters.find(new Set(claims.map(({ factory }) => factory)))
    const verdicts = new Array<Verdict>(claims.length)
    const inquire = Effect.fnUntraced(function* (
      indexes: ReadonlyArray<number>,
      registersOf: (claim: Claim) => ReadonlyArray<Register>,
    ) {
      const questions = indexes.flatMap((index) =>
        registersOf(claims[index]!).map((register) => ({ index, register, claim: claims[index]! })),
      )
      const answers = yield* lookUp(ask(at), questions)
      for (const [place, { index, register, claim }] of questions.entries()) {
        const found = answers[place]!
        if (found.includes(claim.pool)) {
          verdicts[index] = "made"
          known.set(claim.factory, register)
          yield* knownRegisters.keep([[claim.factory, register]])
        } else if (verdicts[index] !== "made") {
          // A factory that has named others and is silent now does not know this one.
          verdicts[index] = found.length > 0 || known.has(claim.factory) ? "denied" : (verdicts[index] ?? "silent")
        }
      }
    })
    // Of a factory that is not known yet one pool is asked for in every way: the others then in one.
    const unknown = new Map<Address, number>()
    for (const [index, { factory }] of claims.entries()) {
      if (!known.has(factory) && !unknown.has(factory)) unknown.set(factory, index)
    }
    yield* inquire([...unknown.values()], () => registers)
    const isOpen = (index: number) => verdicts[index] !== "made"
    const all = [...claims.keys()]
    yield* inquire(
      all.filter((index) => isOpen(index) && known.has(claims[index]!.factory)),
      ({ factory }) => [known.get(factory)!],
    )
    const rest = all.filter((index) => isOpen(index) && unknown.get(claims[index]!.factory) !== index)
    yield* inquire(rest, () => registers)
    return verdicts
  })
}

interface Question {
  readonly claim: Claim
  readonly register: Register
}

/** The pools that each register names; none where the factory has no such register. */
const lookUp = Effect.fnUntraced(function* (ask: AskState, questions: ReadonlyArray<Question>) {
  const asking = questions.flatMap(({ claim, register: { asked } }, place) =>
    asked === undefined ? [] : [{ place, call: { to: claim.pool, data: asked } }],
  )
  const said = asking.length === 0 ? [] : yield* ask(asking.map(({ call }) => call))
  const endsOf = new Map(asking.map(({ place }, at) => [place, [argumentOf(said[at]!, questions[place]!.register)]]))
  const calls = questions.flatMap(({ claim: { token0, token1, factory }, register }, place) =>
    (register.ends ?? endsOf.get(place) ?? [""]).map((end) => ({
      place,
      call: { to: factory, data: register.lookup + abiWord(token0) + abiWord(token1) + end },
    })),
  )
  const answers = calls.length === 0 ? [] : yield* ask(calls.map(({ call }) => call))
  const found = questions.map((): Array<Address> => [])
  for (const [at, { place }] of calls.entries()) {
    const named = addressAt(answers[at]!)
    if (named !== undefined) found[place]!.push(named)
  }
  return found
})

/**
 * What a contract returned as the argument of another call. Zero where it has none, and where it would be none: a factory
 * that fails at it would seem to have nothing that can be asked, and its pool would be taken at its word.
 */
const argumentOf = (data: string, { isSigned = false }: Register): string => {
  if (data.length !== 66) return zero
  const value = isSigned ? BigInt.asIntN(256, BigInt(data)) : BigInt(data)
  return value === (isSigned ? BigInt.asIntN(24, value) : BigInt.asUintN(24, value)) ? data.slice(2) : zero
}
