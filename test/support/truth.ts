/** What the chain itself says: its logs folded in the plainest way, and a node's own balanceOf and totalSupply. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import type { Address } from "../../demo/chain/deploy.ts"
import { callBatch } from "../../demo/chain/rpc.ts"

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const depositTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
const withdrawalTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
export const nobody = `0x${"0".repeat(40)}`

export interface TrueTransfer {
  readonly token: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly txHash: string
  readonly time: number
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

export interface TrueToken {
  readonly balances: Map<string, bigint>
  supply: bigint
}

export interface Truth {
  /** Newest block, which everything here speaks of. */
  readonly head: { readonly number: number; readonly hash: string }
  /** By token address: every contract with an ERC-20 transfer, or that wraps. */
  readonly tokens: ReadonlyMap<string, TrueToken>
  /** Ascending by block and log. */
  readonly transfers: ReadonlyArray<TrueTransfer>
}

interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly blockTimestamp: string
  readonly logIndex: string
  readonly transactionHash: string
}

/** Folds all of the node's logs. `wrapped`: the token whose Deposit and Withdrawal count, and whose zero address holds. */
export const foldTruth = async (url: string, wrapped: string): Promise<Truth> => {
  const [head] = (await callBatch<{ number: string; hash: string }>(url, [
    { method: "eth_getBlockByNumber", params: ["latest", false] },
  ])) as [{ number: string; hash: string }]
  const [logs] = (await callBatch<ReadonlyArray<RawLog>>(url, [
    { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: head.number }] },
  ])) as [ReadonlyArray<RawLog>]
  const tokens = new Map<string, TrueToken>()
  const transfers: TrueTransfer[] = []
  const tokenOf = (address: string) => {
    const token = tokens.get(address) ?? { balances: new Map(), supply: 0n }
    tokens.set(address, token)
    return token
  }
  const add = ({ balances }: TrueToken, holder: string, amount: bigint) =>
    balances.set(holder, (balances.get(holder) ?? 0n) + amount)
  for (const log of logs) {
    const address = log.address.toLowerCase()
    const [topic, ...rest] = log.topics
    const isWord = log.data.length === 66
    if (topic === transferTopic && rest.length === 2 && isWord && rest.every(isAddress)) {
      const [from, to] = rest.map((value) => `0x${value.slice(26)}`) as [string, string]
      const amount = BigInt(log.data)
      const token = tokenOf(address)
      const burns = from !== nobody && to === nobody && address !== wrapped
      if (from === nobody) token.supply += amount
      else add(token, from, -amount)
      if (burns) token.supply -= amount
      else add(token, to, amount)
      transfers.push({
        token: address,
        blockNumber: Number(log.blockNumber),
        logIndex: Number(log.logIndex),
        txHash: log.transactionHash,
        time: Number(log.blockTimestamp),
        from,
        to,
        amount,
      })
    } else if (address === wrapped && (topic === depositTopic || topic === withdrawalTopic)) {
      const amount = topic === depositTopic ? BigInt(log.data) : -BigInt(log.data)
      const token = tokenOf(address)
      token.supply += amount
      add(token, `0x${rest[0]!.slice(26)}`, amount)
    }
  }
  return { head: { number: Number(head.number), hash: head.hash }, tokens, transfers }
}

const isAddress = (topic: string) => topic.startsWith(`0x${"0".repeat(24)}`)

/** Balance descending, then address: those above zero. */
export const holdersOf = ({ balances }: TrueToken): ReadonlyArray<readonly [string, bigint]> =>
  [...balances]
    .filter(([, balance]) => balance > 0n)
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))

const abi = parseAbi(["function ask(address[] tokens, address[] holders) view returns (uint256[])"])

/** What the node answers for one block. */
export interface Census {
  readonly supply: (token: string) => bigint
  readonly balance: (token: string, holder: string) => bigint
}

/**
 * Calls `totalSupply` of every token and `balanceOf` of every token and holder at each block, on the node.
 * `census`: a deployed Census contract, whose code is lent to blocks older than itself.
 */
export const askNode = async (
  url: string,
  census: string,
  blocks: ReadonlyArray<number>,
  tokens: ReadonlyArray<string>,
  holders: ReadonlyArray<string>,
): Promise<ReadonlyArray<Census>> => {
  const [code] = await callBatch(url, [{ method: "eth_getCode", params: [census, "latest"] }])
  const data = encodeFunctionData({ abi, args: [tokens as Address[], holders as Address[]] })
  const call = { to: census, data, gas: "0x3b9aca00" }
  const width = holders.length + 1
  const answers: Census[] = []
  for (const block of blocks) {
    const params = [call, `0x${block.toString(16)}`, { [census]: { code } }]
    const [result] = await callBatch<`0x${string}`>(url, [{ method: "eth_call", params }])
    const values = decodeFunctionResult({ abi, data: result! })
    answers.push({
      supply: (token) => values[tokens.indexOf(token) * width]!,
      balance: (token, holder) => values[tokens.indexOf(token) * width + 1 + holders.indexOf(holder)]!,
    })
  }
  return answers
}
