/** Puts the demo's contracts on the chain. */
import { encodeAbiParameters, parseAbiParameters, stringToHex } from "viem"
import { type Address, addressOf } from "./address.ts"
import { createdContracts, mineBlock } from "./blocks.ts"
import { type Contracts, compile } from "./compile.ts"
import { createPairs, factoryBytecode, type Pair } from "./pairs.ts"
import { createPool, createPoolFactory, type Pool } from "./pools.ts"
import { callBatch } from "./rpc.ts"

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
  /** ERC-721. */
  readonly collections: {
    /** Ids are minted one by one, burnt, and minted again. */
    readonly cards: Address
    /** Its first 25 ids by ERC-2309. */
    readonly members: Address
    /** Its Transfer names anyone as the one who gave. */
    readonly careless: Address
  }
  /** ERC-1155. */
  readonly goods: Address
  /** ERC-20, ERC-721 and ERC-1155 in one. */
  readonly mixed: Address
  /** Trades in the pairs. */
  readonly trader: Address
  readonly factory: Address
  /** SHELL and USDD, TOLL and WETH. */
  readonly pairs: readonly [Pair, Pair]
  /** Of Uniswap V3. */
  readonly poolFactory: Address
  /** USDD and WETH. */
  readonly pool: Pool
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
  return created.map(addressOf)
}

/** Deploys the demo's contracts in one block, at `time` (seconds; by default now), and the pairs and the pool in the next three. */
export const deployDemoChain = async (url: string, time?: number): Promise<DemoChain> => {
  const [given] = await callBatch<ReadonlyArray<string>>(url, [{ method: "eth_accounts" }])
  const accounts = given!.map(addressOf)
  const contracts = new Map([...(await compile("demo/contracts")), ["UniswapV2Factory", factoryBytecode()] as const])
  const created = await createContracts(url, contracts, creations(accounts), time)
  const [batch, ticket, dollar, shell, colossus, old, toll, wrapped, ...others] = created as Many<8>
  const [cards, members, careless, goods, mixed, trader, factory] = others as unknown as Many<7>
  const pairs = await createPairs(
    url,
    accounts[0]!,
    factory,
    [
      [shell, dollar],
      [toll, wrapped],
    ],
    time === undefined ? undefined : time + 1,
  )
  const poolFactory = await createPoolFactory(url, accounts[0]!, time === undefined ? undefined : time + 2)
  const poolTime = time === undefined ? undefined : time + 3
  const pool = await createPool(url, accounts[0]!, poolFactory, [dollar, wrapped], poolTime)
  return {
    url,
    accounts,
    batch,
    tokens: { ticket, dollar, shell, colossus, old, toll, wrapped },
    collections: { cards, members, careless },
    goods,
    mixed,
    trader,
    factory,
    pairs: pairs as [Pair, Pair],
    poolFactory,
    pool,
  }
}

type Many<Length extends number, Start extends Address[] = []> = Start["length"] extends Length
  ? [...Start, ...Address[]]
  : Many<Length, [...Start, Address]>

const creations = (accounts: ReadonlyArray<Address>): Parameters<typeof createContracts>[2] => {
  const ordinary = (name: string, symbol: string, decimals: number) =>
    encodeAbiParameters(parseAbiParameters("string, string, uint8"), [name, symbol, decimals])
  const bytes32 = (text: string) => stringToHex(text, { size: 32 })
  const addresses = (...given: ReadonlyArray<Address>) =>
    `0x${given.map((address) => address.slice(2).padStart(64, "0")).join("")}` as const
  return [
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
    { name: "Cards" },
    { name: "Members", args: addresses(accounts[0]!, accounts[1]!) },
    { name: "Careless" },
    { name: "Goods" },
    { name: "Mixed" },
    { name: "Trader" },
    { name: "UniswapV2Factory", args: addresses(accounts[0]!) },
  ]
}
