/** Headers of the reorg window, and the clock: one known block time per 256 blocks. */
import type { BlockHeader } from "../../../../model/block.ts"
import type { Segment } from "../../../../model/event.ts"
import type { Hash } from "../../../../model/primitives.ts"
import type { Landmark } from "../../../../ports/Ledger.ts"
import { hexArray, numberArray, optionalHexArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"

/** Headers kept for reorgs, ascending. */
export const loadHeaders = async (session: Session): Promise<ReadonlyArray<BlockHeader>> =>
  (
    await session.run(
      (sql) => sql<Array<{ number: number; hash: Hash; parent_hash: Hash; time: number }>>`
        select number, hash, parent_hash, time from block order by number`,
    )
  ).map(({ number, hash, parent_hash, time }) => ({ number, hash, parentHash: parent_hash, time }))

/** Final blocks of the clock whose hash is known, newest first. */
export const loadLandmarks = async (session: Session, limit: number): Promise<ReadonlyArray<Landmark>> =>
  session.run(
    (sql) => sql<Array<Landmark>>`
      select c.block as number, c.hash, c.time from clock c
      where c.hash is not null and c.block <= (select finalized_block from state)
      order by c.block desc limit ${limit}`,
  )

/**
 * Keeps the append's headers from the finalized block on, drops older ones. There are none below the one that was final before:
 * while somebody holds a snapshot for long, the rows that were dropped since are all still there to be passed over.
 */
export const storeHeaders = async (
  session: Session,
  headers: ReadonlyArray<BlockHeader>,
  finalizedBlock: number,
  finalBefore: number,
): Promise<void> => {
  const kept = headers.filter(({ number }) => number >= finalizedBlock)
  const sent: Array<Promise<unknown>> = [
    session.run((sql) => sql`delete from block where number >= ${finalBefore} and number < ${finalizedBlock}`),
  ]
  if (kept.length === 0) return void (await sent[0])
  const hex = (field: "hash" | "parentHash") => hexArray(kept.map((header) => header[field]))
  sent.push(
    session.run(
      (sql) => sql`
      insert into block (number, hash, parent_hash, time)
      select * from unnest(${numberArray(kept.map(({ number }) => number))}::text::int4[], ${hex("hash")}::text::bytea[],
        ${hex("parentHash")}::text::bytea[], ${numberArray(kept.map(({ time }) => time))}::text::int8[])`,
    ),
  )
  await Promise.all(sent)
}

/** The first known block of each group of 256, by group. */
export type ClockSamples = Map<number, { readonly number: number; readonly time: number; readonly hash?: Hash }>

/** Adds what the segment tells of groups above `newestGroup`. */
export const sampleClock = (samples: ClockSamples, segment: Segment, newestGroup: number): void => {
  const consider = (number: number, time: number, hash?: Hash): void => {
    const group = number >> 8
    if (group > newestGroup && number < (samples.get(group)?.number ?? Number.POSITIVE_INFINITY)) {
      samples.set(group, { number, time, ...(hash === undefined ? {} : { hash }) })
    }
  }
  // First: of the same block, the one with the hash stays.
  for (const headers of [segment.landmarks ?? [], segment.headers, [segment.head]]) {
    for (const { number, time, hash } of headers) consider(number, time, hash)
  }
  // They have all the groups that have rows.
  if (segment.landmarks !== undefined) return
  for (const { blockNumber, time } of segment.movements) consider(blockNumber, time)
  for (const { blockNumber, time } of segment.nfts) consider(blockNumber, time)
  for (const { blockNumber, time } of segment.swaps) consider(blockNumber, time)
}

/** Stores the samples, of groups that have none yet; gives the newest group. */
export const storeClock = async (session: Session, samples: ClockSamples, newestGroup: number): Promise<number> => {
  if (samples.size === 0) return newestGroup
  const rows = [...samples.values()]
  await session.run(
    (sql) => sql`
      insert into clock (block, time, hash)
      select * from unnest(${numberArray(rows.map(({ number }) => number))}::text::int4[],
                           ${numberArray(rows.map(({ time }) => time))}::text::int8[],
                           ${optionalHexArray(rows.map(({ hash }) => hash))}::text::bytea[])`,
  )
  // As arguments of one call so many would be too many.
  return rows.reduce((newest, { number }) => Math.max(newest, number >> 8), newestGroup)
}
