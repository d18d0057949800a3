/** A few blocks into the open append, all in one go: what they need is asked for together, and their rows go out meanwhile. */
import type { Segment } from "../../../model/event.ts"
import { prepareChunk } from "./balances/chunk.ts"
import { encodeChunk } from "./balances/encodeChunk.ts"
import { foldChunk } from "./balances/fold.ts"
import { finishLookup, startLookup } from "./balances/lookup.ts"
import { sendRows } from "./flush.ts"
import { moveUnits } from "./ids/moveUnits.ts"
import { findNfts, moveIds } from "./ids/owners.ts"
import { findUnits } from "./ids/units.ts"
import { encodeRows, idsOf } from "./nfts.ts"
import type { Session } from "./wire/session.ts"
import type { OpenAppend, WriterState } from "./writerState.ts"

/** Tokens are known. Two turns of look-ups, whatever the standards; one connection takes the rows behind the first of them. */
export const foldAtOnce = async (
  { session, pairs, tokens: { known }, owners, units }: WriterState,
  open: OpenAppend,
  reader: Session,
  { movements, nfts }: Segment,
): Promise<void> => {
  const { folding } = open
  const rows = { erc721: nfts.filter(isErc721), erc1155: nfts.filter((row) => !isErc721(row)) }
  const chunk = prepareChunk(pairs, known.erc20, movements)
  const lookup = startLookup(reader, session, pairs, chunk)
  const first = Promise.all([
    finishLookup(pairs, lookup),
    findNfts(reader, owners, rows.erc721, known.erc721),
    findUnits(reader, units, rows.erc1155, known.erc1155),
  ])
  // Awaited below, unless what goes out meanwhile fails first.
  first.catch(() => {})
  encodeChunk(folding, chunk)
  for (const standard of ["erc721", "erc1155"] as const)
    encodeRows(folding, standard, rows[standard], idsOf({ rows: rows[standard], tokens: known[standard] }))
  if (reader !== session) await sendRows(session, open)
  const [, owned, moves] = await first
  const changes = {
    erc721: moveIds(owners, rows.erc721, owned, known.erc721),
    erc1155: moveUnits(units, folding.unitHistory, { rows: rows.erc1155, moves, tokens: known.erc1155 }),
  }
  const others = (["erc721", "erc1155"] as const).map((standard) =>
    startLookup(reader, session, pairs, prepareChunk(pairs, known[standard], changes[standard])),
  )
  foldChunk(folding, chunk)
  for (const other of others) {
    await finishLookup(pairs, other)
    foldChunk(folding, other.chunk)
  }
  await sendRows(session, open)
}

const isErc721 = ({ standard }: Segment["nfts"][number]): boolean => standard === "erc721"
