/** One JSON-RPC client per configured chain, shared by everything that asks its nodes: so the bound on requests holds for all of it. */
import { Context, Layer } from "effect"
import type { Address, ChainId } from "../../../model/primitives.ts"
import { clientOfNodes, type RpcClient } from "./client.ts"
import { nodesOf } from "./nodes.ts"

/** A chain's nodes as configured. */
export interface RpcChain {
  readonly chainId: ChainId
  /** In order of preference. They may hold secrets and are never shown but as scheme and host. */
  readonly rpcUrls: ReadonlyArray<string>
  /** Only logs of these contracts are asked for; absent = of every one. */
  readonly tokens?: ReadonlyArray<Address>
  /** Requests on the wire at once. */
  readonly rpcConcurrency: number
  /** Calls per second and URL; absent = no limit. */
  readonly rpcRate?: number
  /** Whether logs of pools are asked for. Default no. */
  readonly swaps?: boolean
  /** Whether approvals are. Default no. */
  readonly approvals?: boolean
  /** Where Multicall3 is, if not where it is on most chains. */
  readonly multicall3?: Address
  /** A contract that shows the native currency itself as a token: what somebody has of the one is what he has of the other. */
  readonly nativeToken?: Address
  /** What gas is paid in. */
  readonly nativeCurrency?: { readonly decimals: number }
  /** Whether logsBloom is read as a hint. Default yes. */
  readonly bloom?: boolean
  /** Whether the newest blocks' receipts are read to prove their logs. Default yes. */
  readonly receipts?: boolean
}

export interface ChainClients {
  readonly chain: Pick<RpcChain, "chainId" | "tokens" | "swaps" | "approvals" | "bloom" | "receipts">
  /** Asks whichever node works. */
  readonly client: RpcClient
  /** Each asks its own node, in order of preference; one of another chain says only which. None waits for long. */
  readonly each: ReadonlyArray<RpcClient>
}

/** Of a configured chain. */
export interface ConfiguredClients extends ChainClients {
  /** As `client`, but waits for no node for long: somebody waits for the answer. With requests of its own. */
  readonly hasty: RpcClient
  /** As `client`, with requests of its own: however many callers ask, ingestion waits for none of them. */
  readonly aside: RpcClient
}

export class RpcClients extends Context.Service<
  RpcClients,
  {
    /** A chain that is not configured is a defect. */
    of(chainId: ChainId): ConfiguredClients
  }
>()("cowry/adapters/rpc/RpcClients") {}

/** The same list gives the same layer: adapters built from one list share its clients. */
export const layer = (chains: ReadonlyArray<RpcChain>): Layer.Layer<RpcClients> => {
  const made = layers.get(chains) ?? Layer.sync(RpcClients, () => clientsOf(chains))
  layers.set(chains, made)
  return made
}

const layers = new WeakMap<ReadonlyArray<RpcChain>, Layer.Layer<RpcClients>>()

const clientsOf = (chains: ReadonlyArray<RpcChain>) => {
  const clients = new Map(
    chains.map((chain) => {
      const { chainId, rpcUrls, rpcConcurrency: concurrency, rpcRate } = chain
      const nodes = nodesOf(rpcUrls, { callsPerSecond: rpcRate })
      const client = clientOfNodes(nodes, { concurrency, chainId })
      const ofCallers = { concurrency, chainId, forCallers: true }
      const hasty = clientOfNodes(nodes, { ...ofCallers, attempts: 2, timeoutMs: 8000, longestRestMs: 1000 })
      const aside = clientOfNodes(nodes, ofCallers)
      const each = nodes.map((node) =>
        clientOfNodes([node], { concurrency: 1, attempts: 2, timeoutMs: 5000, longestRestMs: 2000, chainId }),
      )
      return [chainId, { chain, client, hasty, aside, each }]
    }),
  )
  return RpcClients.of({ of: foundIn(clients) })
}

/** What is made of each chain's clients, once. A chain that is not configured is a defect, as in `of`. */
export const byChain = <Made extends object>(
  clients: RpcClients["Service"],
  chains: ReadonlyArray<RpcChain>,
  make: (clients: ConfiguredClients, chain: RpcChain) => Made,
): ((chainId: ChainId) => Made) =>
  foundIn(new Map(chains.map((chain) => [chain.chainId, make(clients.of(chain.chainId), chain)])))

const foundIn =
  <Made extends object>(made: ReadonlyMap<ChainId, Made>) =>
  (chainId: ChainId): Made => {
    const found = made.get(chainId)
    if (found === undefined) throw new Error(`chain ${chainId} has no configured node`)
    return found
  }
