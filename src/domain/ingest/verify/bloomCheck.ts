/** Blooms held against the logs that came: on a mismatch others are asked, and only what they deny stops a range. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { listMismatches, type Mismatch } from "./blooms.ts"
import { compareLogs } from "./crossCheck.ts"
import { type Rejection, reject } from "./rejection.ts"
import type { Verifier } from "./verifier.ts"

/** Until the same node is asked again, where nobody else can be. */
const pauseMs = 1000

/** The first block whose logs others deny. `logs` are all that came for these headers' blocks; both ascend. */
export const checkBlooms = (
  verifier: Verifier,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
): Effect.Effect<Rejection | undefined, SourceUnavailable> => {
  const { traits } = verifier
  if (listMismatches(traits, headers, logs).length === 0) return Effect.undefined
  const check = Effect.suspend(() => {
    const mismatches = listMismatches(traits, headers, logs)
    return mismatches.length === 0 ? Effect.undefined : confirm(verifier, mismatches)
  })
  return traits.oneByOne.withPermit(check)
}

const confirm = Effect.fnUntraced(function* (verifier: Verifier, mismatches: ReadonlyArray<Mismatch>) {
  const { node, isFollowed } = verifier
  const others = yield* node.crossCheck(mismatches.map(({ header }) => header.hash))
  const verdicts = mismatches.map(({ logs }, index) => compareLogs(logs, others[index] ?? {}, isFollowed))
  const open = mismatches.filter((_, index) => verdicts[index] === "unknown")
  if (open.length > 0) {
    yield* Effect.sleep(pauseMs)
    const again = yield* node.logsOfBlocks(open.map(({ header }) => header.hash))
    for (const [index, mismatch] of open.entries()) {
      const second = again[index]
      verdicts[mismatches.indexOf(mismatch)] =
        second === undefined ? "the node no longer has it" : compareLogs(mismatch.logs, { second }, isFollowed)
    }
  }
  const denied = verdicts.findIndex((verdict) => verdict !== "the same")
  const unlisted = mismatches.slice(0, denied === -1 ? undefined : denied).filter((mismatch) => mismatch.unlisted)
  if (unlisted.length > 0) yield* learn(verifier, unlisted)
  if (denied === -1) return undefined
  const { header, logs } = mismatches[denied]!
  const all = mismatches.filter((_, index) => verdicts[index] !== "the same").map((mismatch) => mismatch.header)
  return { ...(yield* reject(node, { header, logs, why: verdicts[denied]! })), denied: all }
})

/** What blocks that hold logs which their blooms do not show tell of the chain. */
const learn = Effect.fnUntraced(function* ({ traits, chainId }: Verifier, unlisted: ReadonlyArray<Mismatch>) {
  if (!traits.emptyBloomsSayNothing && traits.unlistedBlocks === 0) {
    yield* Effect.logWarning(
      `chain ${chainId}: the logsBloom of block ${unlisted[0]!.header.number} does not show logs that the ` +
        `block holds, as was confirmed by asking again. Indexing goes on; BLOOM_${chainId}=off saves the check.`,
    )
  }
  traits.unlistedBlocks += unlisted.filter(({ header }) => !header.bloom!.empty).length
  traits.emptyBloomsSayNothing ||= unlisted.some(({ header }) => header.bloom!.empty)
})
