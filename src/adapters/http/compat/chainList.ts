/** `/v2/chainlist`: the followed chains in the shape in which Etherscan lists its own. */
import { Effect, Schema } from "effect"
import { Networks } from "../../../ports/Networks.ts"
import { type ChainSyncStatus, SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Endpoint } from "../contract/endpoint.ts"

const ListedChain = Schema.Struct({
  chainname: Schema.String.annotateKey({
    description: "As people call it; of one that nobody knows `Chain` and its id",
  }),
  chainid: Schema.String,
  blockexplorer: Schema.String.annotateKey({
    description: "This service's own page: Etherscan's own client refuses a list without one",
  }),
  apiurl: Schema.String.annotateKey({ description: "URL to which a client adds its query" }),
  status: Schema.Literals([0, 1, 2]).annotateKey({ description: "1 = followed, 2 = with a problem, 0 = stopped" }),
  comment: Schema.String.annotateKey({ description: "What is wrong, else empty" }),
}).annotate({ identifier: "ListedChain" })

const ChainList = Schema.Struct({
  comments: Schema.String,
  totalcount: Schema.Finite,
  result: Schema.Array(ListedChain),
}).annotate({ identifier: "ChainList" })

const states = { stopped: [0, "It is not followed any more"], problem: [2, "See /ready"], fine: [1, ""] } as const

const stateOf = (status: ChainSyncStatus | undefined) => {
  if (status?.phase === "stopped") return states.stopped
  return status?.problem === undefined ? states.fine : states.problem
}

const chainList: Endpoint = {
  id: "chainlist",
  path: "/v2/chainlist",
  style: "native",
  about: { kind: "service" },
  open: true,
  doc: {
    tag: "Compatibility",
    summary: "The followed chains, as Etherscan lists its own",
    query: {},
    body: ChainList,
    faults: [],
  },
  answer: Effect.fnUntraced(function* ({ origin: originOf }) {
    const { chains } = yield* Networks
    const origin = originOf()
    const sync = yield* SyncStatus
    const result = chains.map(({ chainId, name }) => {
      const [status, comment] = stateOf(sync.find(chainId))
      return {
        chainname: name ?? `Chain ${chainId}`,
        chainid: chainId,
        blockexplorer: `${origin}/docs`,
        apiurl: `${origin}/v2/api?chainid=${chainId}`,
        status,
        comment,
      }
    })
    const body = { comments: "Chains that this service follows", totalcount: result.length, result }
    return { asOf: [], body, fleeting: true as const }
  }),
}

/** Some clients add a slash. */
export const chainLists: ReadonlyArray<Endpoint> = [
  chainList,
  { ...chainList, path: `${chainList.path}/`, doc: { ...chainList.doc, hidden: true } },
]
