/** Rows between two marks, as far as they were walked: they never change while what is counted holds. */
import { type LastUsed, makeLastUsed } from "../../../../../model/time/lastUsed.ts"
import type { PositionKey } from "../../feed/positionKey.ts"

export type Segments = LastUsed<ReadonlyArray<PositionKey>>

/** Rows in all, about 40 bytes each. */
const mostKeys = 200_000

export const makeSegments = (): Segments => makeLastUsed(mostKeys, (keys) => keys.length)
