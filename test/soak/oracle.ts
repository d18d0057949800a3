/** What a chain says up to any block of any branch it ever had: all its logs folded in memory, in the plainest way. */
import { type RawLog, type TrueRow, type TrueStandard, wrapOf } from "../support/judge/trueLogs.ts"
import { fold, type Truth } from "../support/judge/truth.ts"
import type { SoakBlock, SoakChain } from "./chain/chain.ts"
import { wrapped } from "./chain/scene.ts"
import { type SoakSwap, swapsOf } from "./chain/swaps.ts"

export const standards = ["erc20", "erc721", "erc1155"] as const satisfies ReadonlyArray<TrueStandard>

/** The first row of a contract in a list. */
export interface First {
  readonly time: number
  readonly block: SoakBlock
  readonly txHash: string
}

export interface Wrap {
  readonly token: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly txHash: string
  readonly holder: string
  readonly change: bigint
}

export interface State extends Omit<Truth, "at" | "swaps"> {
  readonly chainId: string
  readonly block: SoakBlock
  /** By contract, of each standard. */
  readonly firsts: Readonly<Record<TrueStandard, ReadonlyMap<string, First>>>
  /** Rows of the last 24, 48 and 72 hours by contract, of each standard. */
  readonly recent: Readonly<Record<TrueStandard, ReadonlyMap<string, readonly [number, number, number]>>>
  readonly swaps: ReadonlyArray<SoakSwap>
  /** Deposits and withdrawals. */
  readonly wraps: ReadonlyArray<Wrap>
  /** Of the branch. */
  readonly blockAt: (number: number) => SoakBlock
  /** The same, of an older block of the branch: folded anew, which is slow. */
  readonly at: (number: number) => State
}

/** States that are kept: folding is slow. */
const mostKept = 24

export class Oracle {
  private readonly kept = new Map<string, State>()

  constructor(readonly chain: SoakChain) {}

  /** The state after the block with this hash; undefined = the chain never had it. */
  find(hash: string): State | undefined {
    const block = this.chain.known(hash)
    return block && this.stateAt(block)
  }

  private stateAt(block: SoakBlock): State {
    const found = this.kept.get(block.hash)
    if (found !== undefined) {
      this.kept.delete(block.hash)
      this.kept.set(block.hash, found)
      return found
    }
    const branch = this.chain.branchOf(block)
    const state = stateOf(this.chain.chainId, branch, (number) => this.stateAt(branch[number]!))
    this.kept.set(block.hash, state)
    if (this.kept.size > mostKept) this.kept.delete(this.kept.keys().next().value!)
    return state
  }
}

const stateOf = (chainId: string, branch: ReadonlyArray<SoakBlock>, at: (number: number) => State): State => {
  const block = branch.at(-1)!
  const {
    swaps: _,
    at: __,
    ...truth
  } = fold(
    block,
    branch.flatMap(({ logs }) => logs),
    wrapped,
  )
  const wraps = wrapsOf(branch)
  return {
    ...truth,
    chainId,
    block,
    firsts: {
      erc20: firstsOf(branch, truth.rows.erc20, wraps),
      erc721: firstsOf(branch, truth.rows.erc721),
      erc1155: firstsOf(branch, truth.rows.erc1155),
    },
    recent: {
      erc20: recentOf(truth.rows.erc20, block.time),
      erc721: recentOf(truth.rows.erc721, block.time),
      erc1155: recentOf(truth.rows.erc1155, block.time),
    },
    swaps: swapsOf(branch),
    wraps,
    blockAt: (number) => branch[number]!,
    at,
  }
}

interface Place {
  readonly token: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly txHash: string
}

/** Deposits and withdrawals: they bring a token into the list, and are no transfers. */
const wrapsOf = (branch: ReadonlyArray<SoakBlock>): ReadonlyArray<Wrap> =>
  branch
    .flatMap(({ logs }) => logs)
    .flatMap((log: RawLog) => {
      const wrap = log.address === wrapped ? wrapOf(log) : undefined
      if (wrap === undefined) return []
      return [
        {
          token: wrapped,
          blockNumber: Number(log.blockNumber),
          logIndex: Number(log.logIndex),
          txHash: log.transactionHash,
          holder: wrap[0],
          change: wrap[1],
        },
      ]
    })

const firstsOf = (branch: ReadonlyArray<SoakBlock>, rows: ReadonlyArray<TrueRow>, more: ReadonlyArray<Place> = []) => {
  const firsts = new Map<string, Place>()
  for (const row of [...rows, ...more]) {
    const before = firsts.get(row.token)
    const isEarlier =
      before === undefined ||
      row.blockNumber < before.blockNumber ||
      (row.blockNumber === before.blockNumber && row.logIndex < before.logIndex)
    if (isEarlier) firsts.set(row.token, row)
  }
  return new Map(
    [...firsts].map(([token, { blockNumber, txHash }]): [string, First] => {
      const block = branch[blockNumber]!
      return [token, { time: block.time, block, txHash }]
    }),
  )
}

const recentOf = (rows: ReadonlyArray<TrueRow>, now: number) => {
  const counts = new Map<string, [number, number, number]>()
  for (const { token, time } of rows) {
    const count = counts.get(token) ?? [0, 0, 0]
    for (const [place, hours] of [24, 48, 72].entries()) if (time > now - hours * 3600) count[place]!++
    counts.set(token, count)
  }
  return counts
}
