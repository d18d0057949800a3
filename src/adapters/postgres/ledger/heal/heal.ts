/** Takes in rows that were missed: they go to their places, and balances, owners, counters and windows become what they would be. */
import { creditOf } from "../../../../domain/ingest/decode/ledgerRules.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { type MissingRows, SegmentRefused } from "../../../../ports/Ledger.ts"
import { bytesOf } from "../../database/client.ts"
import { storeBorn } from "../ids/storeTokens.ts"
import { bornOf, countTouched, resolveTokens, type Token, type Tokens } from "../ids/tokens.ts"
import { FenceBroken, type Position } from "../state/checkpoint.ts"
import { keepCorrection, notify } from "../state/corrections.ts"
import { numberRollback } from "../state/rollbacks.ts"
import { storeCounters } from "../state/tokenCounters.ts"
import { type Edges, findEdges } from "../state/windows.ts"
import { type Session, transaction } from "../wire/session.ts"
import { recordHealed } from "./audits.ts"
import { Changes } from "./changes.ts"
import { birthsOf, healedRows } from "./healed.ts"
import { findUntouched, healIds } from "./healIds.ts"
import { healPairs } from "./healPairs.ts"
import { healUnits } from "./healUnits.ts"
import { fillClock, firstBlockOf, insertOdd, insertRows, moveBirths, type Rows, withoutStored } from "./rows.ts"
import { addChanges, countVersions, createTables } from "./versions.ts"

/** What is healed: a writer's session, its tokens, and where it left the ledger. */
interface Healing {
  readonly session: Session
  readonly limits: { readonly healedVersions: number; readonly eventsDays: number }
  readonly tokens: Tokens
  readonly position: Position
}

/**
 * In one transaction, at the cost of the versions that the touched balances have from there on; gives how many rows came in.
 * Nothing is written where all of them are there. The writer's caches are worthless after it.
 */
export const healRows = (healing: Healing, missing: MissingRows): Promise<number> => {
  const { session, tokens, position, limits } = healing
  return transaction(session, async () => {
    const rows = await withoutStored(session, missing)
    const count = rows.movements.length + rows.nfts.length
    if (count === 0) return 0
    const touched: Array<Token> = []
    await resolveTokens(session, tokens, rows, touched)
    const before = await birthsOf(session, rows, tokens.known)
    await storeBorn(session, bornOf(touched))
    await healBalances(healing, rows)
    await insertOdd(session, rows, missing.odd ?? [])
    await moveBirths(session, rows, tokens.known)
    await recordHealed(session, missing.audits ?? [])
    const blocks = new Set([...rows.movements, ...rows.nfts].map(({ blockNumber }) => blockNumber))
    await fillClock(
      session,
      missing.headers.filter(({ number }) => blocks.has(number)),
    )
    const end = position.checkpoint.nextBlock
    const edges = await findEdges(session, position.checkpoint.head!.time, [0, 0, 0], [end, end, end])
    await countRows(session, rows, tokens, touched, edges)
    const number = await moveState(healing, rows, touched, edges)
    const after = await birthsOf(session, rows, tokens.known)
    const changed = healedRows(rows, missing.headers, before, after)
    await keepCorrection(session, { number, isHeal: true, ...changed }, limits.eventsDays)
    await notify(session)
    return count
  })
}

/** The rows go in, and with them all that they do to pairs, units and ids. */
const healBalances = async ({ session, limits, tokens: { known } }: Healing, rows: Rows): Promise<void> => {
  const changes = new Changes()
  for (const movement of rows.movements) {
    const token = known.erc20.get(movement.token)!
    changes.add(token.id, movement.debit, movement.blockNumber, -movement.amount)
    changes.add(token.id, creditOf(token.sentToZero, movement), movement.blockNumber, movement.amount)
  }
  for (const { standard, token: address, blockNumber, tokenId, from, to, amount } of rows.nfts) {
    if (standard !== "erc1155") continue
    const { id } = known.erc1155.get(address)!
    const isMint = from === zeroAddress
    if (!isMint) changes.addUnit(id, from, tokenId, blockNumber, -amount)
    if (isMint || to !== zeroAddress) changes.addUnit(id, to, tokenId, blockNumber, amount)
  }
  const ids = rows.nfts.filter(({ standard }) => standard === "erc721")
  const candidates = await healIds(session, ids, known.erc721, changes)
  await insertRows(session, rows, known)
  const untouched = await findUntouched(session, candidates)
  await createTables(session)
  await addChanges(session, "pair", changes.pairChanges)
  await addChanges(session, "unit", changes.unitChanges)
  const { healedVersions: most } = limits
  if ((await countVersions(session, changes.pairs, changes.pairChanges, most)) > most) {
    const message = `healing would change more than ${most} versions of balances: only a resync puts that right`
    throw new SegmentRefused({ message })
  }
  await healUnits(session, changes.units, changes.unitChanges)
  const places = untouched.map(({ tokenId, account, block }) => ({ place: changes.pairOf(tokenId, account), block }))
  await healPairs(session, changes.pairs, places)
}

/** Transfers and ids of each token; of the rolling counts those rows that lie in the windows. */
const countRows = async (
  session: Session,
  { movements, nfts }: Rows,
  { known }: Tokens,
  touched: ReadonlyArray<Token>,
  edges: Edges,
): Promise<void> => {
  const transfers = movements.filter(({ kind }) => kind === "transfer")
  const listed: ReadonlyArray<{ readonly token: Address; readonly blockNumber: number; readonly standard?: Standard }> =
    [...transfers.map(({ token, blockNumber }) => ({ token, blockNumber })), ...nfts]
  const tokenOf = ({ standard = "erc20", token }: (typeof listed)[number]) => known[standard].get(token)!
  for (const row of listed) tokenOf(row).transfers++
  await storeCounters(session, touched, [false, false, false], [])
  const young = new Map<Token, [number, number, number]>()
  for (const row of listed) {
    const counts = young.get(tokenOf(row)) ?? [0, 0, 0]
    for (const window of [0, 1, 2] as const) if (row.blockNumber >= edges[window]) counts[window]++
    young.set(tokenOf(row), counts)
  }
  for (const [{ id }, [day, two, three]] of young) {
    await session.run(
      (sql) => sql`
        update token_stat set
          last_24h = last_24h + ${day}, last_48h = last_48h + ${two}, last_72h = last_72h + ${three}
        where token_id = ${id}`,
    )
  }
}

/** Behind the fence; gives the number of the correction. Who walks as of one of these blocks, or of a later one, is told as after a rollback. */
const moveState = async (
  { session, tokens, position }: Healing,
  { movements, nfts }: Rows,
  touched: ReadonlyArray<Token>,
  edges: Edges,
): Promise<number> => {
  const { nextBlock, head } = position.checkpoint
  const added = countTouched(touched)
  const moved = await session.run(
    (sql) => sql`
      update state set
        epoch = epoch + 1, revision = revision + 1, token_seq = ${tokens.sequence},
        erc20_tokens = erc20_tokens + ${added.tokens.erc20}, erc20_transfers = erc20_transfers + ${added.transfers.erc20},
        erc721_tokens = erc721_tokens + ${added.tokens.erc721}, erc721_transfers = erc721_transfers + ${added.transfers.erc721},
        erc1155_tokens = erc1155_tokens + ${added.tokens.erc1155},
        erc1155_transfers = erc1155_transfers + ${added.transfers.erc1155},
        edge_24h = ${edges[0]}, edge_48h = ${edges[1]}, edge_72h = ${edges[2]}
      where next_block = ${nextBlock} and epoch = ${position.epoch} and head_hash = ${bytesOf(head!.hash)}::bytea
      returning epoch`,
  )
  if (moved.length !== 1) throw new FenceBroken()
  return numberRollback(session, firstBlockOf({ movements, nfts }))
}
