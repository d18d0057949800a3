/** Alchemy's `POST …/assets/tokens/by-address`: fungible tokens of addresses on networks, of more of them than it takes. */
import { Effect } from "effect"
import { worstByChain } from "../../../domain/audit/doubts.ts"
import { listWallet } from "../../../domain/wallet/holdings.ts"
import type { ChainState } from "../../../model/audit.ts"
import type { AsOf } from "../../../model/block.ts"
import { decodeCursor, encodeCursor } from "../../../model/cursor.ts"
import { InvalidCursor } from "../../../model/errors.ts"
import { type Address, addressOf, type ChainId, dateTimeOf } from "../../../model/primitives.ts"
import type { HeldKey, HeldStandard, WalletToken } from "../../../model/wallet/holdings.ts"
import { type Chain, Networks } from "../../../ports/Networks.ts"
import type { Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { defined } from "../contract/parameter.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { heldCursor } from "../native/wallet/heldCursor.ts"
import { suspectsHeader } from "../pipeline/auditState.ts"
import { AlchemyError, AlchemyRequest, AlchemyTokens } from "./alchemyRecords.ts"
import { networksOf, type Request, requestOf } from "./alchemyRequest.ts"
import { steadyOrder } from "./allHeld.ts"
import { alchemyNames, chainsByName, nameOf } from "./chainNames.ts"
import { decimalUsd, hexWord } from "./figures.ts"

const pageRows = 100
/** Each page asks the chain's node for the native balance of each. Alchemy takes 10 here, and 60 where only balances are told. */
const mostPairs = 100

/** Addresses that are asked on the same chains. */
interface Group {
  readonly chains: ReadonlyArray<ChainId>
  readonly holders: ReadonlyArray<Address>
}

const chainsNamed = (networks: ReadonlyArray<string>, followed: ReadonlyArray<Chain>): ReadonlyArray<ChainId> => {
  const named = chainsByName(alchemyNames, followed)
  const ids = new Set([...new Set(networks)].map((name) => named(name)?.chainId))
  return followed.flatMap(({ chainId }) => (ids.has(chainId) ? [chainId] : []))
}

/** In order of their first address; an address that stands twice is asked on the networks of both. */
const groupsOf = Effect.fnUntraced(function* ({ addresses }: Request, followed: ReadonlyArray<Chain>) {
  const named = chainsByName(alchemyNames, followed)
  const asked = new Map<Address, Set<ChainId>>()
  for (const [place, { address: text, networks: names }] of addresses.entries()) {
    const address = addressOf(text)
    if (address === undefined) {
      return yield* invalidParameter(`addresses[${place}].address`, text, "an address: 0x and 40 hex digits")
    }
    const chains = asked.get(address) ?? new Set()
    asked.set(address, chains)
    for (const name of names) {
      const chainId = named(name)?.chainId
      if (chainId !== undefined) {
        chains.add(chainId)
        continue
      }
      const known = followed.slice(0, 20).map(({ chainId }) => nameOf(alchemyNames, chainId))
      return yield* invalidParameter(`addresses[${place}].networks`, name, `networks that are followed here: ${known}`)
    }
  }
  const pairs = [...asked.values()].reduce((sum, { size }) => sum + size, 0)
  if (pairs > mostPairs) {
    return yield* invalidParameter("addresses", String(pairs), `at most ${mostPairs} pairs of an address and a network`)
  }
  const groups = new Map<string, { chains: ReadonlyArray<ChainId>; holders: Array<Address> }>()
  for (const [address, ids] of asked) {
    if (ids.size === 0) continue
    const chains = followed.flatMap(({ chainId }) => (ids.has(chainId) ? [chainId] : []))
    const group = groups.get(chains.join()) ?? { chains, holders: [] }
    group.holders.push(address)
    groups.set(chains.join(), group)
  }
  const found: ReadonlyArray<Group> = [...groups.values()]
  return found
})

/** What a page key is bound to: the request without it. */
const bindingOf = ({ pageKey: _, ...request }: Request): string => JSON.stringify(["alchemy/tokens", request])

/** Where a page begins: in which group, and behind which row of it. */
interface Place {
  readonly group: number
  readonly after?: HeldKey
}

const placeOf = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Place, InvalidCursor> {
  const { pageKey } = request
  if (pageKey === undefined || pageKey === null || pageKey === "") return { group: 0 }
  const [group, ...parts] = decodeCursor(bindingOf(request), "next", pageKey) ?? []
  const after = heldCursor.fromParts(parts)
  if (typeof group === "number" && Number.isSafeInteger(group) && group >= 0) {
    if (after !== undefined) return { group, after }
    if (parts.length === 0) return { group }
  }
  return yield* new InvalidCursor({
    message: "pageKey: expected one from a page of this very request, got one altered or of another request",
  })
})

const answer = Effect.fnUntraced(function* (call: Call) {
  const request = yield* requestOf(call.body)
  const { chains: followed } = yield* Networks
  const groups = yield* groupsOf(request, followed)
  const standards: ReadonlyArray<HeldStandard> = [
    ...(request.includeNativeTokens === false ? [] : (["native"] as const)),
    ...(request.includeErc20Tokens === false ? [] : (["erc20"] as const)),
  ]
  const place = yield* placeOf(request)
  const asOf = new Map<ChainId, AsOf>()
  /** With those that have no block. */
  const read = new Set<ChainId>()
  const tokens: Array<ReturnType<typeof tokenOf>> = []
  const suspects: Array<ChainState> = []
  let { after } = place
  let pageKey: string | undefined
  for (let at = place.group; at < groups.length && standards.length > 0; at++) {
    const limit = pageRows - tokens.length
    if (limit === 0) break
    const page = yield* listWallet({
      ...groups[at]!,
      standards,
      onlyTrusted: false,
      byId: false,
      sort: steadyOrder,
      count: false,
      page: { limit, ...defined({ after }) },
    })
    after = undefined
    for (const chainId of groups[at]!.chains) read.add(chainId)
    for (const head of page.asOf) if (!asOf.has(head.chainId)) asOf.set(head.chainId, head)
    tokens.push(...page.items.map((item) => tokenOf(item, request, asOf.get(item.chainId))))
    suspects.push(...page.suspects)
    pageKey = page.next && encodeCursor(bindingOf(request), "next", [at, ...heldCursor.toParts(page.next)])
    if (pageKey !== undefined) break
    if (tokens.length === pageRows && at + 1 < groups.length) {
      pageKey = encodeCursor(bindingOf(request), "next", [at + 1])
    }
  }
  const named = new Set(groups.flatMap(({ chains }) => chains))
  const unread = [...named].filter((chainId) => !read.has(chainId))
  return {
    asOf: [...asOf.values()],
    chains: named.size,
    leftOut: unread.map((chainId) => ({ chainId, blockNumber: Number.POSITIVE_INFINITY })),
    ofNode: true as const,
    fleeting: true as const,
    headers: suspectsHeader(worstByChain(suspects)),
    body: { data: { tokens, ...defined({ pageKey }) } },
  }
})

const tokenOf = (row: WalletToken, { withMetadata, withPrices }: Request, head: AsOf | undefined) => ({
  address: row.address,
  network: nameOf(alchemyNames, row.chainId),
  tokenAddress: row.tokenAddress ?? null,
  tokenBalance: (row.balance && hexWord(row.balance)) ?? null,
  ...(withMetadata === false
    ? {}
    : {
        tokenMetadata: {
          decimals: row.decimals ?? null,
          logo: row.logoUri ?? null,
          name: row.name ?? null,
          symbol: row.symbol ?? null,
        },
      }),
  ...(withPrices === false ? {} : { tokenPrices: pricesOf(row, head) }),
  error: errorOf(row),
})

const errorOf = ({ balance }: WalletToken): string | null => {
  if (balance === undefined) return "the chain's node does not tell this balance at the moment"
  if (hexWord(balance) !== undefined) return null
  return "this balance is above 2^256-1: the contract's events add up to more than 32 bytes can hold"
}

const pricesOf = ({ price }: WalletToken, head: AsOf | undefined) =>
  price === undefined || head === undefined
    ? []
    : [{ currency: "usd", value: decimalUsd(price), lastUpdatedAt: dateTimeOf(head.time) }]

export const alchemyTokens: Endpoint = {
  id: "alchemy/tokens/by-address",
  path: "/data/v1/{apiKey}/assets/tokens/by-address",
  style: "native",
  methods: ["POST", "OPTIONS"],
  about: { kind: "chain", takesAll: true },
  foreign: {
    keyOf: ({ param }) => param("apiKey"),
    chainsOf: ({ body }, followed) => chainsNamed(networksOf(body), followed),
    refusal: ({ message }) => ({ error: { message } }),
    docs: { refusal: AlchemyError, request: AlchemyRequest },
  },
  doc: {
    tag: "Compatibility",
    summary: "Fungible tokens of addresses, as Alchemy's clients ask them",
    description:
      "Up to 100 pairs of an address and a network that is followed. 100 rows a page, in the order of networks, addresses and contracts.",
    query: {},
    body: AlchemyTokens,
    faults: ["InvalidParameter", "InvalidCursor"],
  },
  cost: ({ body }) => Effect.succeed(networksOf(body).length > 10 ? "costly" : "cheap"),
  answer,
}
