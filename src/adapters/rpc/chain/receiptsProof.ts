/** What receipts prove of a block's logs, by what all the nodes tell: those that give the root in its header are all there are. */
import { Array as Arr, Effect, Option, Result } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { ReceiptsProof, SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import type { HeaderCalls } from "./headerCalls.ts"
import { receiptsCallOf } from "./receiptsCall.ts"
import { conclude, isSettled, type Told } from "./receiptsToldBy.ts"
import type { ReceiptsVerifier } from "./receiptsVerifier.ts"

/** Of a request, and requests at once where proofs are known to come out. */
const blocksAtOnce = 4
const requestsAtOnce = 4
/** One node may take so long over a request. */
const answerTimeoutMs = 10_000
/** A node that does not know the method is asked again after so long; one that failed is asked last for a while. */
const unservedForMs = 300_000
const failedForMs = 60_000
/** So many blocks of a chain on which nothing ever matched, and it is not asked for any more. */
const enoughUnproven = 8
const triedAgainAfter = 32
/** How far below a doubtful block others are looked at, on a chain of which nothing is known yet: a lie begins somewhere. */
const lookBack = [1, 4, 16, 64, 256, 1024, 4096, 16_384]

export interface ProofOptions {
  readonly chainId: ChainId
  /** Each asks its own node. */
  readonly nodes: ReadonlyArray<RpcClient>
  /** Place of the node to begin with. */
  readonly first: () => number
  readonly verifier: ReceiptsVerifier
  readonly isWanted: (log: unknown) => boolean
  readonly headers: Pick<HeaderCalls, "ofNumber">
  /** Of blocks of all ages: chains have changed how they hash receipts. So a chain that seems hopeless is tried again now and then; what is said of the newest blocks is left to those who prove them. */
  readonly ofAllAges?: boolean
}

/** One call a block while all goes well; of one that fails, or is not shown to be right, the next node is asked. It never fails. */
export const makeProver = ({
  chainId,
  nodes,
  first,
  verifier,
  isWanted,
  headers: calls,
  ofAllAges = false,
}: ProofOptions) => {
  const states = nodes.map((client) => ({ client, unservedUntil: 0, failedUntil: 0, isNew: true }))
  const receiptsCall = receiptsCallOf(verifier, isWanted)
  let hasLookedBack = false
  let knowsChainsWay = false
  let unproven = 0
  let passedOver = 0
  const isHopeless = () =>
    !verifier.hasMatched() && unproven >= enoughUnproven && !(ofAllAges && ++passedOver % triedAgainAfter === 0)

  const inOrder = (now: number) => {
    const all = states.map((_, offset) => states[(first() + offset) % states.length]!)
    const known = all.filter(({ unservedUntil }) => unservedUntil <= now)
    return [
      ...known.filter(({ failedUntil }) => failedUntil <= now),
      ...known.filter(({ failedUntil }) => failedUntil > now),
    ]
  }

  /** What each node told of these blocks, until that settles them; and why nobody did of the others. */
  const askNodes = Effect.fnUntraced(function* (headers: ReadonlyArray<SourceHeader>) {
    const now = yield* steadyMillis
    const told = new Map(headers.map((header) => [header, [] as Told[]]))
    let unread: string | undefined
    for (const node of inOrder(now)) {
      const open = headers.filter((header) => !isSettled(told.get(header)!))
      if (open.length === 0) break
      const { label } = node.client
      const answer = yield* node.client
        .batch(open.map(receiptsCall))
        .pipe(Effect.timeoutOption(answerTimeoutMs), Effect.result)
      if (Result.isFailure(answer) || Option.isNone(answer.success)) {
        node.failedUntil = now + failedForMs
        const late = `${label}: eth_getBlockReceipts: no answer within ${answerTimeoutMs / 1000} s`
        unread ??= Result.isFailure(answer) ? answer.failure.message : late
        continue
      }
      const answers = answer.success.value
      if (answers.includes("unserved")) {
        node.unservedUntil = now + unservedForMs
        if (node.isNew && !ofAllAges) {
          yield* Effect.logWarning(
            `chain ${chainId}: ${label} does not know eth_getBlockReceipts; while no other node does, the newest blocks' logs are not proven`,
          )
        }
        node.isNew = false
        continue
      }
      const all = answers.flatMap((it) => (it === "unserved" ? [] : [it]))
      // One that is denied is asked last for a while, as one that fails.
      node.failedUntil = all.some(({ verdict }) => "denied" in verdict) ? now + failedForMs : 0
      for (const [place, each] of all.entries()) told.get(open[place]!)!.push({ node: label, ...each })
    }
    return { told, unread }
  })

  const ask = Effect.fnUntraced(function* (
    headers: ReadonlyArray<SourceHeader>,
  ): Effect.fn.Return<ReadonlyArray<ReceiptsProof | undefined>> {
    const { told, unread } = yield* askNodes(headers)
    const proofs: Array<ReceiptsProof | undefined> = []
    for (const header of headers) {
      const own = told.get(header)!
      if (own.length === 0) {
        proofs.push(unread === undefined ? undefined : { unread })
        continue
      }
      const { proof, isDoubtful, isChainsWay } = conclude(own)
      if (isDoubtful && !hasLookedBack) {
        yield* learnFrom(header.number)
        if (verifier.hasMatched()) return yield* ask(headers)
      }
      if (isChainsWay && !knowsChainsWay && !ofAllAges) {
        knowsChainsWay = true
        yield* Effect.logWarning(
          `chain ${chainId}: the logsBloom of block ${header.number} shows logs that are in no receipt (of failed transactions, on some chains); such blocks are stored unproven`,
        )
      }
      if (proof === undefined) unproven++
      proofs.push(proof)
    }
    return proofs
  })

  /** Whether roots or blooms match on this chain, by blocks further below: by those of which some node tells. */
  const learnFrom = Effect.fnUntraced(function* (number: number) {
    hasLookedBack = true
    const numbers = lookBack.map((below) => number - below).filter((it) => it >= 0)
    for (const { client } of inOrder(yield* steadyMillis)) {
      const look = Effect.flatMap(client.batch(numbers.map(calls.ofNumber)), (found) =>
        client.batch(found.flatMap((header) => (header?.receipts ? [receiptsCall(header)] : []))),
      )
      yield* look.pipe(Effect.timeoutOption(answerTimeoutMs), Effect.ignore)
      if (verifier.hasMatched()) return
    }
  })

  return Effect.fnUntraced(function* (headers: ReadonlyArray<SourceHeader>) {
    const proofs: Array<ReceiptsProof | undefined> = []
    for (let begin = 0; begin < headers.length && !isHopeless(); begin = proofs.length) {
      const most = blocksAtOnce * (verifier.hasMatched() ? requestsAtOnce : 1)
      const parts = Arr.chunksOf(headers.slice(begin, begin + most), blocksAtOnce)
      const answers = yield* Effect.forEach(parts, ask, { concurrency: requestsAtOnce })
      proofs.push(...answers.flat())
      const unread = answers.map((part) => part.at(-1)).find((last) => last !== undefined && "unread" in last)
      // The node is left in peace.
      if (unread) return headers.map((_, place) => (place < proofs.length ? proofs[place] : unread))
    }
    return headers.map((_, place) => proofs[place])
  })
}
