/** The NativeHistories port over JSON-RPC: many blocks in a batch, each node for what those before it did not tell, and what never changes kept. */
import { Array as Arr, Duration, Effect, Layer } from "effect"
import type { Address, ChainId, Hash } from "../../../model/primitives.ts"
import { type LastUsed, makeLastUsed } from "../../../model/time/lastUsed.ts"
import { NativeHistories, type NativeMoment } from "../../../ports/NativeHistories.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isBatchRefusal, isPruned, mayBeRateLimit, type RpcFault } from "../transport/fault.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { quantity } from "../wire/abi.ts"
import { Malformed, quote } from "../wire/shapes.ts"
import { findBlocks } from "./blocksByTime.ts"
import { hashCall } from "./hashCall.ts"

/** How long an answer waits for all blocks of a page. What came by then counts, and is kept for whoever asks again. */
const waits = Duration.seconds(10)
/** Blocks asked about together: with hashes so few that block and balance come in one answer of nearly any node. */
const batchSizes = { final: 100, hashed: 5 }
/** Balances after final blocks, and blocks of times, that are kept, of all chains: some 150 bytes each. The longest unused go first. */
const mostKept = 100_000

type Client = Pick<RpcClient, "batch" | "together">

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    NativeHistories,
    Effect.map(RpcClients.RpcClients, (clients) => {
      const kept: Kept = makeLastUsed(mostKept)
      return NativeHistories.of({
        through: (chainId, address, moments, ledger) => {
          const { hasty, each } = clients.of(chainId)
          return through([hasty, ...(each.length > 1 ? each : [])], kept, { chainId, ledger, address, moments })
        },
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Balances and blocks, by what they are of. */
export type Kept = LastUsed<bigint>

interface Asked {
  readonly chainId: ChainId
  /** See the port. Only what was kept of this one counts. */
  readonly ledger: string
  readonly address: Address
  readonly moments: ReadonlyArray<NativeMoment>
}

/** Exported for tests, which bring clients of their own. */
export const through = Effect.fn("RpcNativeHistories.through")(function* (
  clients: ReadonlyArray<Client>,
  all: Kept,
  { chainId, ledger, address, moments }: Asked,
) {
  const told = new Map<number, bigint>()
  const kept = ledger === "" ? undefined : all
  const chain = `${chainId} ${ledger}`
  const timeKey = ({ until }: NativeMoment) => `${chain} by ${until?.time}`
  const balanceKey = (blockNumber: number) => `${chain} ${address} ${blockNumber}`
  /** The block that is meant; undefined = not known yet. */
  const meant = moments.map((moment) => {
    const block = moment.until === undefined ? moment.blockNumber : kept?.find(timeKey(moment))
    return block === undefined ? undefined : Number(block)
  })
  const recall = () => {
    for (const [index, block] of meant.entries()) {
      if (block === undefined || moments[index]!.hash !== undefined || told.has(block)) continue
      const balance = kept?.find(balanceKey(block))
      if (balance !== undefined) told.set(block, balance)
    }
  }
  const find = Effect.fnUntraced(function* (client: Client) {
    const open = moments.flatMap(({ blockNumber, until }, index) =>
      until === undefined || meant[index] !== undefined ? [] : [{ index, blockNumber, until }],
    )
    const blocks = yield* findBlocks(client, open)
    for (const [place, { index }] of open.entries()) {
      meant[index] = blocks[place]!
      kept?.keep(timeKey(moments[index]!), BigInt(blocks[place]!))
    }
  })
  const ask = Effect.fnUntraced(function* (client: Client) {
    yield* Effect.ignore(find(client))
    recall()
    const open = new Map<number, NativeMoment>()
    for (const [index, blockNumber] of meant.entries()) {
      const { hash } = moments[index]!
      if (blockNumber !== undefined && !told.has(blockNumber))
        open.set(blockNumber, { blockNumber, ...(hash === undefined ? {} : { hash }) })
    }
    // Newest first: those are what a node is likeliest to have.
    const left = [...open.values()].toSorted((a, b) => b.blockNumber - a.blockNumber)
    const hashed = left.filter(({ hash }) => hash !== undefined)
    const final = left.filter(({ hash }) => hash === undefined)
    const hashedParts = Arr.chunksOf(hashed, batchSizes.hashed).map((part) => askHashed(client, address, part))
    const finalParts = Arr.chunksOf(final, batchSizes.final).map((part) => askFinal(client, address, part))
    yield* Effect.forEach(
      [...hashedParts, ...finalParts],
      (part) =>
        Effect.map(part, (balances) => {
          for (const [{ blockNumber, hash }, balance] of balances) {
            if (balance === undefined) continue
            told.set(blockNumber, balance)
            if (hash === undefined) kept?.keep(balanceKey(blockNumber), balance)
          }
        }).pipe(Effect.ignore),
      { concurrency: 4, discard: true },
    )
  })
  yield* Effect.forEach(clients, ask, { discard: true }).pipe(Effect.timeoutOption(waits))
  return meant.map((blockNumber) => {
    const balance = blockNumber === undefined ? undefined : told.get(blockNumber)
    return blockNumber === undefined || balance === undefined ? undefined : { blockNumber, balance }
  })
})

type Told = ReadonlyArray<readonly [NativeMoment, bigint | undefined]>

const askFinal = (client: Client, address: Address, moments: ReadonlyArray<NativeMoment>) =>
  Effect.map(
    client.batch(moments.map((moment) => balanceCall(address, moment))),
    (balances): Told => moments.map((moment, index) => [moment, balances[index]]),
  )

/** Behind a balancer two nodes may be on two forks: so all must be of one answer. */
const askHashed = (client: Client, address: Address, moments: ReadonlyArray<NativeMoment>) => {
  const calls = moments.flatMap(
    (moment): ReadonlyArray<RpcCall<Hash | bigint | undefined>> => [
      hashCall(moment.blockNumber),
      balanceCall(address, moment),
    ],
  )
  return Effect.map(
    client.together(calls),
    ({ values, whole }): Told =>
      moments.map((moment, index) => {
        const isThat = whole && values[2 * index] === moment.hash
        return [moment, isThat ? (values[2 * index + 1] as bigint | undefined) : undefined]
      }),
  )
}

/** Undefined = the node does not keep that state. */
const balanceCall = (address: Address, { blockNumber }: NativeMoment): RpcCall<bigint | undefined> => ({
  method: "eth_getBalance",
  params: [address, quantity(blockNumber)],
  read: (result) => {
    if (result === null || result === "0x") return undefined
    if (typeof result === "string" && /^0x[0-9a-f]{1,64}$/iu.test(result)) return BigInt(result)
    throw new Malformed(`balance: expected a hex quantity, got ${quote(result)}`)
  },
  readFault: (fault) => (isPruned(fault) || isOfCall(fault) ? { value: undefined } : undefined),
})

/** Not of the request, nor of how often we ask: so other blocks of the batch are told. */
const isOfCall = (fault: RpcFault): boolean =>
  fault.kind === "answer" && !mayBeRateLimit(fault) && !isBatchRefusal(fault)
