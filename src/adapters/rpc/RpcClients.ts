/** One JSON-RPC client per configured chain, shared by everything that asks its nodes: so the bound on requests holds for all of it. */
import { Context, Layer } from "effect"
import type { Address, ChainId } from "../../domain/model/primitives.ts"
import { makeClient, type RpcClient } from "./client.ts"

/** A chain's nodes as configured. */
export interface RpcChain {
  readonly chainId: ChainId
  /** In order of preference. They may hold secrets and are never shown but as scheme and host. */
  readonly rpcUrls: ReadonlyArray<string>
  /** Only logs of these contracts are asked for; absent = of every one. */
  readonly tokens?: ReadonlyArray<Address>
  /** Requests on the wire at once. */
  readonly rpcConcurrency: number
}

export interface ChainClients {
  readonly chain: Pick<RpcChain, "chainId" | "tokens">
  /** Asks whichever node works. */
  readonly client: RpcClient
  /** Each asks its own node. */
  readonly each: ReadonlyArray<RpcClient>
}

export class RpcClients extends Context.Service<
  RpcClients,
  {
    /** A chain that is not configured is a defect. */
    of(chainId: ChainId): ChainClients
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
    chains.map((chain) => [
      chain.chainId,
      {
        chain,
        client: makeClient(chain.rpcUrls, { concurrency: chain.rpcConcurrency }),
        each: chain.rpcUrls.map((url) => makeClient([url], { concurrency: 1, attempts: 2, timeoutMs: 5000 })),
      },
    ]),
  )
  return RpcClients.of({
    of: (chainId) => {
      const found = clients.get(chainId)
      if (found === undefined) throw new Error(`chain ${chainId} has no configured node`)
      return found
    },
  })
}
