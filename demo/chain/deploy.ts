/** Puts the demo's contracts on the chain. */
import { encodeAbiParameters, parseAbiParameters, stringToHex } from "viem"
import { createdContracts, mineBlock } from "./blocks.ts"
import { type Contracts, compile } from "./compile.ts"
import { callBatch } from "./rpc.ts"

export type Address = `0x${string}`

/** What the traffic works with. Addresses in lower case. */
export interface DemoChain {
  readonly url: string
  /** The node's own accounts: each can send transactions. */
  readonly accounts: ReadonlyArray<Address>
  readonly batch: Address
  readonly tokens: {
    /** 0 decimals */
    readonly ticket: Address
    /** 6 decimals */
    readonly dollar: Address
    /** 18 decimals */
    readonly shell: Address
    /** Amounts up to 2²⁵⁶−1 */
    readonly colossus: Address
    /** bytes32 name */
    readonly old: Address
    /** fee on transfer */
    readonly toll: Address
    /** wrapped native */
    readonly wrapped: Address
  }
}

/** Creates one contract of each entry in one block (at `time`, seconds); addresses in order, in lower case. */
export const createContracts = async (
  url: string,
  contracts: Contracts,
  creations: ReadonlyArray<{ readonly name: string; readonly args?: `0x${string}` }>,
  time?: number,
): Promise<ReadonlyArray<Address>> => {
  const [[from]] = (await callBatch<ReadonlyArray<string>>(url, [{ method: "eth_accounts" }])) as [[string]]
  const transactions = creations.map(({ name, args = "0x" }) => {
    const bytecode = contracts.get(name)
    if (bytecode === undefined) throw new Error(`There is no contract ${name}.`)
    return { from, data: bytecode + args.slice(2) }
  })
  const created = await createdContracts(url, await mineBlock(url, transactions, time))
  return created.map((address) => address.toLowerCase() as Address)
}

/** Deploys the demo's tokens in one block, at `time` (seconds; by default now). */
export const deployDemoChain = async (url: string, time?: number): Promise<DemoChain> => {
  const [accounts] = (await callBatch<ReadonlyArray<Address>>(url, [{ method: "eth_accounts" }])) as [Address[]]
  const ordinary = (name: string, symbol: string, decimals: number) =>
    encodeAbiParameters(parseAbiParameters("string, string, uint8"), [name, symbol, decimals])
  const bytes32 = (text: string) => stringToHex(text, { size: 32 })
  const created = await createContracts(
    url,
    await compile("demo/contracts"),
    [
      { name: "Batch" },
      { name: "Token", args: ordinary("Night Train Ticket", "TICKET", 0) },
      { name: "Token", args: ordinary("Demo Dollar", "USDD", 6) },
      { name: "Token", args: ordinary("Cowry Shell", "SHELL", 18) },
      { name: "Token", args: ordinary("Colossus", "HUGE", 18) },
      {
        name: "OldToken",
        args: encodeAbiParameters(parseAbiParameters("bytes32, bytes32"), [bytes32("Old Maker"), bytes32("OLD")]),
      },
      {
        name: "TollToken",
        args: encodeAbiParameters(parseAbiParameters("string, string, address"), ["Toll Coin", "TOLL", accounts[9]!]),
      },
      { name: "WrappedNative" },
    ],
    time,
  )
  const [batch, ticket, dollar, shell, colossus, old, toll, wrapped] = created as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
  ]
  return {
    url,
    accounts: accounts.map((account) => account.toLowerCase() as Address),
    batch,
    tokens: { ticket, dollar, shell, colossus, old, toll, wrapped },
  }
}
