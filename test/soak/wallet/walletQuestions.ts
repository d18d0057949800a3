/** Questions of wallets: what they hold, on a chain or on all, now or as of a block, and what all of it is worth. */
import type { State } from "../oracle.ts"
import { standards } from "../oracle.ts"
import { type Asking, prefix } from "../questions/asking.ts"
import type { ListQuestion } from "../questions/lists.ts"
import type { ValueQuestion } from "../questions/values.ts"
import { holdingRows, portfolioOf, type Which } from "./holdings.ts"

const cent = 10n ** 16n

/** Parameters, and what they mean. */
const whichOf = ({ random }: Asking) => {
  const some = random.chance(0.3) ? standards.filter(() => random.chance(0.5)) : []
  const [onlyTrusted, least] = [random.chance(0.15), random.chance(0.15) ? BigInt(random.below(300)) : undefined]
  const values = {
    standard: some.length === 0 ? undefined : some,
    trusted: onlyTrusted ? "true" : undefined,
    minValueUsd: least === undefined ? undefined : `${Number(least) / 100}`,
  }
  const which: Omit<Which, "byId"> = {
    standards: some.length === 0 ? standards : some,
    onlyTrusted,
    least: least === undefined ? undefined : least * cent,
  }
  return { values, which }
}

const holdings = (asking: Asking, path: string, holders: ReadonlyArray<string>, more: object): ListQuestion => {
  const { random } = asking
  const { values, which } = whichOf(asking)
  const byId = random.chance(0.3)
  const sort = random.pick(["valueUsd", "valueUsd,asc", "tokenAddress", "tokenAddress,asc", undefined])
  const byValue = sort === undefined || sort.startsWith("valueUsd")
  const block = random.chance(0.5) ? asking.block() : undefined
  const detail = byId ? "ids" : undefined
  const list = asking.list(path, { ...more, ...values, sort, detail, blockNumber: block }, block === undefined)
  // Ties run the other way where values ascend.
  const ties = sort === "valueUsd,asc" || (!byValue && sort !== "tokenAddress,asc") ? -1 : 1
  return {
    ...list,
    signs: [...(byValue ? [-ties as 1 | -1] : []), ...Array.from({ length: 5 }, () => ties as 1 | -1)],
    rows: (states) =>
      states.flatMap((state) =>
        holders.flatMap((holder) =>
          holdingRows(block === undefined ? state : state.at(block), holder, { ...which, byId }, byValue),
        ),
      ),
    ...(block === undefined ? {} : { block }),
  }
}

export const tokensOfOne = (asking: Asking): ListQuestion => {
  const holder = asking.person()
  return holdings(asking, `address/${asking.written(holder)}/tokens`, [holder], {})
}

export const tokensOfMany = (asking: Asking): ListQuestion => {
  const holders = [...new Set(Array.from({ length: 1 + asking.random.below(8) }, asking.person))]
  return holdings(asking, "tokens-of", holders, { address: holders })
}

export const portfolio = (asking: Asking): ValueQuestion => {
  const { random } = asking
  const holder = asking.person()
  const { values, which } = whichOf(asking)
  const block = random.chance(0.5) ? asking.block() : undefined
  const isAll = block === undefined && random.chance(0.5)
  const chains = isAll ? asking.chains.map(({ chainId }) => chainId) : [asking.chain().chainId]
  const pairs = Object.entries({ ...values, blockNumber: block }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )
  const path = `${prefix}/${isAll ? "all" : chains[0]}/address/${asking.written(holder)}/portfolio`
  return {
    kind: "value",
    url: `${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`,
    chains,
    answer: (states: ReadonlyArray<State>) => portfolioOf(states, holder, { ...which, byId: false }, block),
    ...(block === undefined ? {} : { block, beyond: "INVALID_PARAMETER" }),
  }
}
