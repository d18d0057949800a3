/** The ledger's tables as the simplest fold there is: maps, bigint, one movement at a time. */
import { isReserved } from "../../src/domain/model/event.ts"
import type { TestChain } from "../support/testChain.ts"

interface Version {
  readonly block: number
  readonly balance: bigint
}

/** What `contentOfTables` gives for a ledger that holds exactly this chain. */
export const naiveContent = (chain: TestChain, finalizedBlock: number, nodeHead: number) => {
  const movements = chain.blocks.flatMap((block) => block.movements)
  const versions = new Map<string, Array<Version>>()
  const tokens = new Map<string, (typeof movements)[number]>()
  for (const movement of movements) {
    const { token, blockNumber, loser, gainer, amount } = movement
    if (!tokens.has(token)) tokens.set(token, movement)
    for (const [account, change] of [
      [loser, -amount],
      [gainer, amount],
    ] as const) {
      const list = versions.get(`${token} ${account}`) ?? []
      const balance = (list.at(-1)?.balance ?? 0n) + change
      if (list.at(-1)?.block === blockNumber) list.pop()
      list.push({ block: blockNumber, balance })
      versions.set(`${token} ${account}`, list)
    }
  }
  const pairs = [...versions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => ({ key: key.split(" "), list }))
  const head = chain.blocks.at(-1)?.header
  const transfers = movements.filter(({ kind }) => kind === "transfer")
  const row = ({ key: [token, holder] }: (typeof pairs)[number], { block, balance }: Version) => ({
    token: bare(token!),
    holder: bare(holder!),
    block,
    balance: String(balance),
  })
  return {
    state: [
      {
        next_block: chain.nextBlock,
        finalized_block: finalizedBlock,
        node_head: nodeHead,
        head_hash: head === undefined ? null : bare(head.hash),
        head_parent: head === undefined ? null : bare(head.parentHash),
        head_time: head?.time ?? null,
        erc20_tokens: tokens.size,
        erc20_transfers: transfers.length,
      },
    ],
    block: chain.blocks
      .map(({ header }) => header)
      .filter(({ number }) => number >= finalizedBlock)
      .map(({ number, hash, parentHash, time }) => ({ number, hash: bare(hash), parent_hash: bare(parentHash), time })),
    token: [...tokens.values()]
      .sort((a, b) => (a.token < b.token ? -1 : 1))
      .map(({ token, blockNumber, logIndex, time }) => ({
        address: bare(token),
        block: String(blockNumber),
        log_index: String(logIndex),
        sort_time: time,
        transfers: transfers.filter((it) => it.token === token).length,
        holders: pairs.filter(({ key, list }) => key[0] === token && !isReserved(key[1]!) && list.at(-1)!.balance > 0n)
          .length,
        standard: 20,
        stat_address: bare(token),
      })),
    transfer: transfers.map(({ blockNumber, logIndex, time, token, txHash, from, to, amount }) => ({
      block: String(blockNumber),
      log_index: String(logIndex),
      time,
      token: bare(token),
      tx_hash: bare(txHash),
      from: bare(from),
      to: bare(to),
      amount: String(amount),
    })),
    wrap: movements
      .filter(({ kind }) => kind === "wrap")
      .map(({ blockNumber, logIndex, token, loser, gainer, amount }) => ({
        block: String(blockNumber),
        log_index: String(logIndex),
        token: bare(token),
        holder: bare(isReserved(loser) ? gainer : loser),
        amount: String(isReserved(loser) ? amount : -amount),
      })),
    balance: pairs.map((pair) => row(pair, pair.list.at(-1)!)),
    history: pairs.flatMap((pair) => pair.list.slice(0, -1).map((version) => row(pair, version))),
  }
}

const bare = (hex: string): string => hex.slice(2)
