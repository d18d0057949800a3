/** A sorted token list over chains in stages: the first have the page's rows nearly always, and the later ones are not asked then. */
import type { Fragment, Sql } from "postgres"
import { type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import type { TrustedSortField } from "../../../../ports/TrustedTokens.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { branchOf, type PartOf, partIn, type TokenReading } from "./branches.ts"
import { firstWideStep, stepOf } from "./steps.ts"

/** Stages of branches: all rows of one are ahead of those of the next, whichever chain they are of. */
export interface TokenStage {
  /** Equal ones have equal words. */
  readonly name: ReadonlyArray<unknown>
  /** Only the key's own chain has a branch. */
  readonly isOwn: boolean
  /** What a chain's branch is held against, in its order: nothing else of its words hangs on the key. */
  readonly boundsOf: (chainId: ChainId) => ReadonlyArray<string>
  /** Rows (chain_id, absent, value, address, token_id) of the chain, at most `limit`. `bounds`: as many as `boundsOf` gives. */
  readonly branch: (chain: ChainSql, bounds: ReadonlyArray<string>) => Fragment
}

/** Rows that tie with the key's value are a stage of their own on its chain: a page inside a long tie starts at its place in the index. */
export const tokenStages = (reading: TokenReading): ReadonlyArray<TokenStage> => {
  const { field, direction, absent, key } = reading
  const down = direction === "desc"
  const stage = (
    at: PartOf,
    more?: Partial<Pick<TokenStage, "isOwn" | "boundsOf">> & { readonly condition: Condition },
  ): TokenStage => ({
    name: [at.absent, at.steps, more === undefined ? "whole" : more.isOwn === true ? "tied" : "beyond"],
    isOwn: false,
    boundsOf: () => [],
    ...more,
    branch: (chain, bounds) => {
      const part = partIn(chain, field, at)
      return branchOf(chain, reading, part, more === undefined ? chain.sql`` : more.condition(part, bounds, chain.sql))
    },
  })
  // Read backwards, the parts of a run come in the reverse order too.
  const all = mayBeAbsent(field) ? [false, true] : [false]
  const runs = absent === "last" ? all : all.toReversed()
  const partsOfRun = (isAbsent: boolean): ReadonlyArray<PartOf> => {
    const steps = hasSteps(field, isAbsent) ? (["wide", "own"] as const) : (["none"] as const)
    return (down ? steps : steps.toReversed()).map((it) => ({ absent: isAbsent, steps: it }))
  }
  if (key === undefined) return runs.flatMap((run) => partsOfRun(run).map((at) => stage(at)))

  const { value } = key
  const isAbsent = value === null || (field === "marketCap" && typeof value === "number")
  /** Whether rows of the chain that tie with the key are beyond it: of a value, chains come in order. */
  const hasTies = (chainId: ChainId) => compareChainIds(chainId, key.chainId) * (down ? 1 : -1) > 0
  const beyondAddress: Condition = (_, [address], sql) =>
    down ? sql`and x.address > ${address!}::bytea` : sql`and x.address < ${address!}::bytea`
  return runs.flatMap((run) => {
    if (run !== isAbsent) return run === (absent === "last") ? partsOfRun(run).map((at) => stage(at)) : []
    if (value === null) {
      const [all, none] = down ? [belowAll, aboveAll] : [aboveAll, belowAll]
      const boundsOf = (chainId: ChainId) => [chainId === key.chainId ? key.address : hasTies(chainId) ? all : none]
      return partsOfRun(run).map((at) => stage(at, { boundsOf, condition: beyondAddress }))
    }
    const bound = typeof value === "number" ? String(Math.trunc(value)) : value
    const next = typeof value === "string" && field === "name" ? `${value}\u0001` : String(BigInt(bound) + 1n)
    const step = hasSteps(field, run) ? stepOf(Number(bound)) : undefined
    /** Ties are below the next value, and not below their own. */
    const further = (chainId: ChainId) => (hasTies(chainId) === down ? next : bound)
    return partsOfRun(run).flatMap((at) => {
      // The key lies in the other part: all of this one is beyond it, or nothing.
      if (step !== undefined && step < firstWideStep !== (at.steps === "own"))
        return down === (at.steps === "own") ? [stage(at)] : []
      const castOf = (sql: Sql) =>
        field === "name" ? sql`::text` : typeof value === "string" ? sql`::numeric` : sql`::int8`
      const bounds = at.steps === "wide" ? [String(step)] : []
      const tied: Condition = (part, [address, tie, tiedStep], sql) => sql`
        and ${part.value} = ${tie!}${castOf(sql)} ${tiedStep === undefined ? sql`` : sql`and ${part.order[0]} = ${tiedStep}::text::int4`}
        ${beyondAddress(part, [address!], sql)}`
      const beyond: Condition = (part, [most, mostStep], sql) => sql`
        ${mostStep === undefined ? sql`` : down ? sql`and ${part.order[0]} <= ${mostStep}::text::int4` : sql`and ${part.order[0]} >= ${mostStep}::text::int4`}
        ${down ? sql`and ${part.value} < ${most!}${castOf(sql)}` : sql`and ${part.value} >= ${most!}${castOf(sql)}`}`
      return [
        stage(at, { isOwn: true, boundsOf: () => [key.address, bound, ...bounds], condition: tied }),
        stage(at, { boundsOf: (chainId) => [further(chainId), ...bounds], condition: beyond }),
      ]
    })
  })
}

type Condition = (part: ReturnType<typeof partIn>, bounds: ReadonlyArray<string>, sql: Sql) => Fragment

/** Branches of a chain, each of at most `limit` rows. */
export const tokenBranches = (chain: ChainSql, reading: TokenReading): Array<Fragment> =>
  tokenStages(reading).flatMap(({ isOwn, boundsOf, branch }) =>
    isOwn && reading.key?.chainId !== chain.chainId ? [] : [branch(chain, boundsOf(chain.chainId))],
  )

const mayBeAbsent = (field: TrustedSortField): boolean => field === "name" || field === "marketCap"
const hasSteps = (field: TrustedSortField, absent: boolean): boolean =>
  field === "holdersCount" || field === "transfers" || (field === "marketCap" && absent)

/** Around every address. */
const belowAll = "0x"
const aboveAll = `0x${"ff".repeat(21)}`
