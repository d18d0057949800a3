/** What the ledger in memory says of a token's figures, and the record of an audit as people see it. */
import { topics } from "../../domain/ingest/decode/topics.ts"
import { type Doubt, neverCompared, type TokenAudit } from "../../model/audit.ts"
import { burnAccount, isReserved, mintAccount } from "../../model/event.ts"
import { type Address, type ChainId, dateTimeOf, zeroAddress } from "../../model/primitives.ts"
import {
  type AuditBreadth,
  type AuditRecord,
  type AuditSample,
  type BlockRange,
  fewBelowZero,
  type LedgerFigure,
  type Partiality,
  type StoredRow,
} from "../../ports/AuditStore.ts"
import type { TokenQuestion } from "../../ports/TokenViews.ts"
import { balanceOf, supplyOf, unitOf } from "./balances.ts"
import { holderList, rankedRows, unitList } from "./ranked.ts"
import { compareBigInts, compareText } from "./rows.ts"
import { type Balances, type FeedRow, type MemoryChain, type MemoryToken, tokenOf } from "./state.ts"

export const auditOf = (chainId: ChainId, { address, standard, audit }: MemoryToken): TokenAudit => ({
  chainId,
  address,
  standard,
  ...(audit === undefined ? { state: "unverified", reason: neverCompared } : shownRecord(audit)),
})

const shownRecord = ({ state, blockNumber, time, compared, difference, reason }: AuditRecord) => ({
  state,
  blockNumber,
  timestamp: dateTimeOf(time),
  compared,
  ...(difference === undefined ? {} : { difference }),
  ...(reason === undefined ? {} : { reason }),
})

export const sampleOf = (chain: MemoryChain, token: MemoryToken, breadth: AuditBreadth): AuditSample => {
  const { standard, address, firstBlock, firstLogIndex, firstTxHash, audit } = token
  const older = isOlder(chain, token)
  const others = { erc20: tokenOf(chain, "erc721", address), erc721: tokenOf(chain, "erc20", address) }
  const figures = questionsOf(chain, token, breadth).map((question) => figureOf(token, question))
  return {
    token: { standard, address, firstBlock, firstLogIndex, firstTxHash },
    ...(older === undefined ? {} : { older }),
    mixed: standard !== "erc1155" && others[standard] !== undefined,
    burnt: standard === "erc20" ? balanceOf(token, burnAccount) : 0n,
    figures,
    ...(audit === undefined ? {} : { last: audit }),
  }
}

/** By when it was made, where that is known. Blocks may share a second: of the first one's that tells nothing. */
export const isOlder = (chain: MemoryChain, { origin, firstTxHash }: MemoryToken): boolean | undefined => {
  if (chain.settings.firstBlock === 0 || origin?.txHash === firstTxHash) return false
  const first = Math.min(...[...chain.headers, ...chain.transfers].map(({ time }) => time))
  return origin?.time === undefined || origin.time === first ? undefined : origin.time < first
}

/** It may be older, and no comparison has shown that all of it is there. */
export const isPartial = (chain: MemoryChain, token: MemoryToken): boolean =>
  token.audit?.state !== "exact" && isOlder(chain, token) !== false

export const partialityOf = (
  chain: MemoryChain | undefined,
  token: MemoryToken | undefined,
): { readonly partial?: Partiality } =>
  chain === undefined || token === undefined || !isPartial(chain, token)
    ? {}
    : { partial: isOlder(chain, token) === true ? "known" : "possible" }

/** What may make its figures suspect; undefined = nothing does, at any block. */
export const doubtOf = (chain: MemoryChain, token: MemoryToken): Doubt | undefined => {
  const { state = "unverified", differed } = token.audit ?? {}
  const partial = isPartial(chain, token)
  if (state !== "drift" && state !== "rebasing" && differed === undefined && !partial) return undefined
  return {
    state,
    ...(differed === undefined ? {} : { differedTo: differed.to }),
    ...(partial ? { partial } : {}),
  }
}

const questionsOf = (chain: MemoryChain, token: MemoryToken, breadth: AuditBreadth): ReadonlyArray<TokenQuestion> => {
  const rows = rowsOf(chain, token, breadth)
  const watched = token.audit?.watched ?? []
  const { standard, address } = token
  if (standard === "erc1155") {
    const top = rankedRows(unitList, token)
      .slice(0, breadth.top)
      .map(({ address: holder, tokenId }) => ({ holder, tokenId: BigInt(tokenId) }))
    const held = [...token.units].flatMap(([tokenId, balances]) =>
      [...balances.keys()].map((holder) => ({ holder, tokenId, balance: unitOf(token, tokenId, holder) })),
    )
    const below = lowestOf(held, breadth)
    const touched = rows.flatMap(({ from, to, ...row }) =>
      [from, to].map((holder) => ({ holder, tokenId: "tokenId" in row ? row.tokenId : 0n })),
    )
    const kept = watched.flatMap((it) => (it.of === "unit" ? [{ holder: it.holder, tokenId: BigInt(it.tokenId) }] : []))
    return [...top, ...below, ...touched, ...kept]
      .filter(({ holder }) => holder !== zeroAddress)
      .toSorted((a, b) => compareText(a.holder, b.holder) || compareBigInts(a.tokenId, b.tokenId))
      .filter((unit, place, all) => place === 0 || !isSame(unit, all[place - 1]!))
      .map(({ holder, tokenId }) => ({ of: "unit", token: address, holder, tokenId: String(tokenId) }))
  }
  const held = [...token.balances.keys()].flatMap((holder) =>
    isReserved(holder) ? [] : [{ holder, tokenId: 0n, balance: balanceOf(token, holder) }],
  )
  const holders = new Set([
    ...lowestOf(held, breadth).map(({ holder }) => holder),
    ...rankedRows(holderList, token)
      .slice(0, breadth.top)
      .map((it) => it.address),
    ...rows.flatMap(({ from, to }) => [from, to]),
    ...watched.flatMap((it) => (it.of === "balance" ? [it.holder] : [])),
  ])
  if (standard === "erc20") holders.add(zeroAddress)
  else holders.delete(zeroAddress)
  const ids = new Set([
    ...rows.flatMap((row) => ("tokenId" in row ? [row.tokenId] : [])),
    ...watched.flatMap((it) => (it.of === "owner" ? [BigInt(it.tokenId)] : [])),
  ])
  const live = [...ids].filter((id) => token.owners.get(id)?.at(-1)?.owner !== undefined)
  return [
    { of: "supply", token: address },
    ...[...holders].sort(compareText).map((holder): TokenQuestion => ({ of: "balance", token: address, holder })),
    ...live.sort(compareBigInts).map((id): TokenQuestion => ({ of: "owner", token: address, tokenId: String(id) })),
  ]
}

/** The lowest below zero. */
const lowestOf = (
  held: ReadonlyArray<Unit & { readonly balance: bigint }>,
  { belowZero = fewBelowZero }: AuditBreadth,
): ReadonlyArray<Unit> =>
  held
    .filter(({ balance }) => balance < 0n)
    .toSorted(
      (a, b) =>
        compareBigInts(a.balance, b.balance) || compareText(b.holder, a.holder) || compareBigInts(b.tokenId, a.tokenId),
    )
    .slice(0, belowZero)

type Unit = { readonly holder: Address; readonly tokenId: bigint }
const isSame = (a: Unit, b: Unit): boolean => a.holder === b.holder && a.tokenId === b.tokenId

/** The newest transfers, and at each place the first there or after it. */
const rowsOf = (chain: MemoryChain, token: MemoryToken, { recent, places }: AuditBreadth): ReadonlyArray<FeedRow> => {
  const rows = chain.transfers.filter((row) => row.standard === token.standard && row.token === token.address)
  const found = places.map((place) => {
    const block = token.firstBlock + Math.floor(place * (chain.nextBlock - token.firstBlock))
    return rows.find(({ blockNumber }) => blockNumber >= block)
  })
  return [...(recent === 0 ? [] : rows.slice(-recent)), ...found.filter((row) => row !== undefined)]
}

const figureOf = (token: MemoryToken, question: TokenQuestion): LedgerFigure => {
  switch (question.of) {
    case "supply":
      return { ...question, ledger: supplyOf(token), touched: -1 }
    case "balance":
      return {
        ...question,
        ledger: balanceOf(token, question.holder),
        touched: touchedAt(token.balances, question.holder),
      }
    case "unit": {
      const id = BigInt(question.tokenId)
      const touched = touchedAt(token.units.get(id), question.holder)
      return { ...question, ledger: unitOf(token, id, question.holder), touched }
    }
    case "owner": {
      const version = token.owners.get(BigInt(question.tokenId))?.at(-1)
      return { ...question, ledger: BigInt(version?.owner ?? 0), touched: version?.blockNumber ?? -1 }
    }
  }
}

const touchedAt = (balances: Pick<Balances<Address>, "get"> | undefined, holder: Address): number =>
  balances?.get(holder)?.at(-1)?.blockNumber ?? -1

/** Its movements in these blocks, of every standard, by place. */
export const rowsOfContract = (
  chain: MemoryChain,
  address: Address,
  { from, to }: BlockRange,
): ReadonlyArray<StoredRow> => {
  const isAsked = (row: { readonly token: Address; readonly blockNumber: number }) =>
    row.token === address && row.blockNumber >= from && row.blockNumber <= to
  const transfers = chain.transfers.filter(isAsked).map((row): StoredRow => {
    const { standard: kind, blockNumber, logIndex, sub, from, to, amount } = row
    return { kind, blockNumber, logIndex, sub, from, to, tokenId: "tokenId" in row ? row.tokenId : 0n, amount }
  })
  const wraps = chain.wraps.filter(isAsked).map(({ blockNumber, logIndex, debit, credit, amount }): StoredRow => {
    const isDeposit = debit === mintAccount
    const holder = (isDeposit ? credit : debit) as Address
    const signed = isDeposit ? amount : -amount
    return { kind: "wrap", blockNumber, logIndex, sub: 0, from: holder, to: holder, tokenId: 0n, amount: signed }
  })
  const withoutRoom = chain.oddLogs
    .filter(
      ({ contract, hasRows, topics: [topic] }) =>
        !hasRows && contract === address && topic === topics.consecutiveTransfer,
    )
    .filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
    .map(({ blockNumber, logIndex }): StoredRow => {
      const parties = { from: address, to: address, tokenId: 0n, amount: 0n }
      return { kind: "withoutRoom", blockNumber, logIndex, sub: 0, ...parties }
    })
  return [...transfers, ...wraps, ...withoutRoom].sort(
    (a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.sub - b.sub,
  )
}
