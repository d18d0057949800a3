/** A load's second session: it makes ids beside balances that are folded, and builds indexes beside whatever step is under way. */
import type { Session } from "../wire/session.ts"
import { analyze, type Building, buildIndexes } from "./indexes.ts"

export interface Indexer {
  readonly session: Session
  /** Ids made beside balances: the one after it is somebody else's. Fails as `done` does. */
  readonly ids: Promise<unknown>
  /** Fails where an index did. */
  readonly done: Promise<unknown>
  /** The same, behind it, of what was derived. */
  derived: Promise<unknown> | undefined
  /** Of any of them: then the writer's sessions are to be ended, behind the step that is under way. */
  failure: { readonly cause: unknown } | undefined
}

/** Begins at once. */
export const makeIndexer = (session: Session, ids: Promise<void>, building: Building): Indexer => {
  const done = ids.then(() => buildIndexes(session, "copied", building)).then(() => analyze(session, "copied"))
  const indexer: Indexer = { session, ids, done, derived: undefined, failure: undefined }
  noteFailure(indexer, done)
  return indexer
}

/** Behind what was copied. */
export const goOnWithDerived = (indexer: Indexer, building: Building): Promise<unknown> => {
  const derived = indexer.done.then(() => buildIndexes(indexer.session, "derived", building))
  noteFailure(indexer, derived)
  return derived
}

/** Each is awaited at the end, if ever. */
const noteFailure = (indexer: Indexer, work: Promise<unknown>): void => {
  work.catch((cause: unknown) => {
    indexer.failure ??= { cause }
  })
}
