/** What was missed comes into the ledger in memory: the tokens that it is of are folded anew from all their rows. */
import type { Movement, NftMovement } from "../../model/event.ts"
import type { Address } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import type { HealedAudit, MissingRows } from "../../ports/Ledger.ts"
import { difference, saidFrom } from "./events.ts"
import { letZeroAddressHold, move, moveNft } from "./fold.ts"
import { type MemoryChain, type MemoryToken, tokenKey } from "./state.ts"

type Row = Movement | NftMovement

/** Rows at places that are taken are left out; gives how many came in. It counts as a rollback to the first of their blocks. */
export const heal = (chain: MemoryChain, missing: MissingRows): number => {
  const { movements, nfts, odd = [], headers, audits = [] } = missing
  const stored: ReadonlyArray<Row> = [...chain.transfers.map(rowOf), ...chain.wraps]
  const taken = new Set(stored.map(placeOf))
  const missed = [...movements, ...nfts].filter((row) => !taken.has(placeOf(row)))
  if (missed.length === 0) return 0
  const said = saidFrom(chain, 0)
  const places = new Set(missed.map(placeInChain))
  chain.oddLogs.push(...odd.filter((log) => places.has(placeInChain(log))))
  chain.oddLogs.sort(byPlace)
  const healed = new Set(missed.map(keyOf))
  const before = [...healed].flatMap((key) => chain.tokens.get(key) ?? [])
  for (const key of healed) chain.tokens.delete(key)
  const others = chain.transfers.filter((row) => !healed.has(keyOf(rowOf(row))))
  const otherWraps = chain.wraps.filter((row) => !healed.has(keyOf(row)))
  chain.transfers.length = 0
  chain.wraps.length = 0
  for (const row of [...stored.filter((it) => healed.has(keyOf(it))), ...missed].sort(byPlace)) {
    if ("standard" in row) moveNft(chain, row)
    else move(chain, row)
  }
  chain.transfers.push(...others)
  chain.transfers.sort(byPlace)
  chain.wraps.push(...otherWraps)
  chain.wraps.sort(byPlace)
  for (const token of before) carryOver(chain, token, chain.tokens.get(keyOf({ ...token, token: token.address }))!)
  for (const audit of audits) recordHealed(chain, audit)
  const tokens = [...chain.tokens].sort(
    ([, a], [, b]) => a.firstBlock - b.firstBlock || a.firstLogIndex - b.firstLogIndex,
  )
  chain.tokens.clear()
  for (const [key, token] of tokens) chain.tokens.set(key, token)
  const blocks = new Set(missed.map(({ blockNumber }) => blockNumber))
  for (const { number, hash, time } of headers) {
    const isKnown = chain.landmarks.some((it) => it.number >> 8 === number >> 8)
    if (blocks.has(number) && !isKnown) chain.landmarks.push({ number, hash, time })
  }
  chain.landmarks.sort((a, b) => a.number - b.number)
  const fromBlock = Math.min(...missed.map(({ blockNumber }) => blockNumber))
  chain.rollbacks.push(fromBlock)
  chain.corrections.push({ isHeal: true, fromBlock, ...difference(said, saidFrom(chain, 0)) })
  chain.revision++
  return missed.length
}

/** What was learned of it. An origin that was not found is looked for anew where another event is its first now. */
const carryOver = (chain: MemoryChain, before: MemoryToken, token: MemoryToken): void => {
  const { description, origin, audit, price, marketCap, uris, pricePoints } = before
  const isLost = origin !== undefined && origin.time === undefined && origin.txHash === undefined
  const keepsOrigin = !isLost || before.firstTxHash === token.firstTxHash
  Object.assign(token, { uris, pricePoints })
  if (description !== undefined) token.description = description
  if (origin !== undefined && keepsOrigin) token.origin = origin
  if (audit !== undefined) token.audit = audit
  if (price !== undefined) token.price = price
  if (marketCap !== undefined) token.marketCap = marketCap
  const { sentToZero } = before
  if (sentToZero !== undefined && sentToZero !== "burnt") letZeroAddressHold(chain, token, sentToZero)
}

const recordHealed = (chain: MemoryChain, { standard, address, record }: HealedAudit): void => {
  const token = chain.tokens.get(tokenKey(standard, address))
  if (token?.audit?.state !== record.state || token.audit.blockNumber !== record.blockNumber) return
  const { reason: _reason, differed: _differed, logs: _logs, healed: _healed, ...kept } = token.audit
  const { reason, differed, logs, healed } = record
  token.audit = {
    ...kept,
    ...(reason !== undefined && { reason }),
    ...(differed && { differed }),
    ...(logs && { logs }),
    ...(healed && { healed }),
  }
}

/** As it came: a feed's row of ERC-20 names its standard, a movement does not. */
const rowOf = (row: MemoryChain["transfers"][number]): Row => {
  if (!("kind" in row)) return row
  const { standard: _, sub: __, ...movement } = row
  return movement
}

const keyOf = (row: { readonly token: Address; readonly standard?: Standard }): string =>
  tokenKey(row.standard ?? "erc20", row.token)

const placeOf = (row: Row): string =>
  `${"standard" in row ? row.standard : row.kind} ${row.blockNumber} ${row.logIndex} ${"sub" in row ? row.sub : 0}`

const placeInChain = ({ blockNumber, logIndex }: Place): string => `${blockNumber} ${logIndex}`

const byPlace = (a: Place, b: Place): number =>
  a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || (a.sub ?? 0) - (b.sub ?? 0)
interface Place {
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub?: number
}
