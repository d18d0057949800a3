/** The CodeStore port in memory. */
import { Effect, Layer } from "effect"
import { CodeStore } from "../../ports/CodeStore.ts"
import { holdersOf } from "./balances.ts"
import { holderList, rankedRows } from "./ranked.ts"
import { compareText } from "./rows.ts"
import { MemoryChains, moveLearned } from "./state.ts"

export const layer = Layer.effect(
  CodeStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return CodeStore.of({
      find: (chainId, addresses) =>
        Effect.sync(() => {
          const codes = chains.get(chainId)?.codes
          return [...new Set(addresses)].flatMap((address) => {
            const code = codes?.get(address)
            return code === undefined ? [] : [{ address, isContract: code.isContract, blockNumber: code.blockNumber }]
          })
        }),
      listUnknown: (chainId, { standard, tokens, skip, holders, askedBefore, askedAfter }) =>
        Effect.sync(() => {
          const chain = chains.get(chainId)
          const all = [...(chain?.tokens.values() ?? [])]
            .filter((token) => token.standard === standard)
            .map((token) => ({ token, number: holdersOf(token).length }))
            .sort((a, b) => b.number - a.number || compareText(a.token.address, b.token.address))
            .slice(skip, skip + tokens)
          const addresses = all.flatMap(({ token }) =>
            rankedRows(holderList, token)
              .slice(0, holders)
              .map(({ address }) => address),
          )
          const isKnown = (address: (typeof addresses)[number]) => {
            const { askedAt } = chain?.codes.get(address) ?? {}
            return askedAt !== undefined && askedAt >= askedBefore && askedAt <= askedAfter
          }
          return { addresses: [...new Set(addresses)].filter((address) => !isKnown(address)), tokens: all.length }
        }),
      listOld: (chainId, { askedBefore, askedAfter }, limit) =>
        Effect.sync(() =>
          [...(chains.get(chainId)?.codes ?? [])]
            .filter(([, { askedAt }]) => askedAt < askedBefore || askedAt > askedAfter)
            .sort(([one, a], [other, b]) => a.askedAt - b.askedAt || compareText(one, other))
            .slice(0, limit)
            .map(([address]) => address),
        ),
      record: (chainId, codes, askedAt) =>
        Effect.sync(() => {
          const chain = chains.get(chainId)
          if (chain === undefined || codes.length === 0) return
          for (const { address, ...code } of codes) chain.codes.set(address, { ...code, askedAt })
          moveLearned(chain)
        }),
    })
  }),
)
