/** What an address holds, now and after any block, against the node's own eth_call and eth_getBalance; and a portfolio's points, multiplied again. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import { rpcOf } from "../../../demo/chain/rpc.ts"
import type { PortfolioPoint, PricePoint } from "../../../src/model/wallet/histories.ts"
import type { Portfolio, WalletToken } from "../../../src/model/wallet/holdings.ts"
import type { Service } from "../service.ts"

const abi = parseAbi([
  "function balanceOf(address holder) view returns (uint256)",
  "function decimals() view returns (uint8)",
])
type Hex = `0x${string}`
const call = (url: string, method: string, params: ReadonlyArray<unknown>) => rpcOf(url)(method, params)
type Page<Row> = { readonly items: ReadonlyArray<Row>; readonly link: { readonly next?: string } }

export interface Judged {
  readonly url: string
  readonly root: string
  readonly service: Pick<Service, "get">
}

const hexOf = (block: number): string => `0x${block.toString(16)}`

const balanceOf = async (url: string, token: string, holder: string, block: number): Promise<bigint> => {
  const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [holder as Hex] })
  const answer = (await call(url, "eth_call", [{ to: token, data }, hexOf(block)])) as Hex
  // A contract that is not there yet answers nothing.
  return answer === "0x" ? 0n : decodeFunctionResult({ abi, functionName: "balanceOf", data: answer })
}

const decimalsOf = async (url: string, token: string): Promise<number> => {
  const data = encodeFunctionData({ abi, functionName: "decimals" })
  const answer = (await call(url, "eth_call", [{ to: token, data }, "latest"])) as Hex
  return decodeFunctionResult({ abi, functionName: "decimals", data: answer })
}

const all = async <Row>({ service }: Judged, path: string): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: Page<Row> = await service.get(next)
    rows.push(...page.items)
    next = page.link.next
  }
  return rows
}

/** Differences of each holder, at each block, over these ERC-20 and ERC-721 contracts and the native currency. */
export const compareWallets = async (
  judged: Judged,
  tokens: ReadonlyArray<string>,
  holders: ReadonlyArray<string>,
  blocks: ReadonlyArray<number>,
): Promise<{ readonly differences: ReadonlyArray<string>; readonly compared: number }> => {
  const differences: Array<string> = []
  let compared = 0
  for (const block of blocks) {
    for (const holder of holders) {
      const query = `standard=native,erc20,erc721&blockNumber=${block}&limit=7`
      const rows = await all<WalletToken>(judged, `${judged.root}/address/${holder}/tokens?${query}`)
      const said = (token: string | undefined) => BigInt(rows.find((row) => row.tokenAddress === token)?.balance ?? 0)
      const native = BigInt((await call(judged.url, "eth_getBalance", [holder, hexOf(block)])) as string)
      if (said(undefined) !== native) differences.push(`${block} ${holder} native: ${said(undefined)}, not ${native}`)
      for (const token of tokens) {
        const truth = await balanceOf(judged.url, token, holder, block)
        if (said(token) !== truth) differences.push(`${block} ${holder} ${token}: ${said(token)}, not ${truth}`)
      }
      compared += tokens.length + 1
      const portfolio = await judged.service.get<Portfolio>(`${judged.root}/address/${holder}/portfolio?${query}`)
      const sum = rows.reduce((total, { valueUsd }) => total + parse(valueUsd), 0n)
      if (parse(portfolio.valueUsd) !== sum) differences.push(`${block} ${holder}: ${portfolio.valueUsd}, not ${sum}`)
      if (portfolio.tokens !== rows.length) differences.push(`${block} ${holder}: ${portfolio.tokens} rows`)
    }
  }
  return { differences, compared }
}

/** A decimal text as 10⁻¹⁸ dollars. */
const parse = (text = "0"): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(18, "0"))
}

/** Each point again: `balanceOf` at its block times the newest published price of its hour. Differences, and how many had a value. */
export const comparePoints = async (
  judged: Judged,
  holder: string,
  tokens: ReadonlyArray<string>,
  query: string,
  /** The native currency too, which costs what this token does. */
  wrapped?: string,
) => {
  const asked = wrapped === undefined ? query : `${query}&standard=native,erc20`
  const points = await all<PortfolioPoint>(judged, `${judged.root}/address/${holder}/portfolio/history?${asked}`)
  const known = await Promise.all(
    tokens.map(async (token) => ({
      token,
      decimals: await decimalsOf(judged.url, token),
      prices: await all<PricePoint>(judged, `${judged.root}/erc20/${token}/price/history?limit=1000`),
    })),
  )
  const differences: Array<string> = []
  let valued = 0
  for (const { blockNumber, timestamp = "", valueUsd, priced } of points) {
    let [sum, count] = [0n, 0]
    const native = known.filter(({ token }) => token === wrapped).map((it) => ({ ...it, token: undefined }))
    for (const { token, decimals, prices } of [...known, ...native]) {
      const balance =
        token === undefined
          ? BigInt((await call(judged.url, "eth_getBalance", [holder, hexOf(blockNumber!)])) as string)
          : await balanceOf(judged.url, token, holder, blockNumber!)
      const hour = `${timestamp.slice(0, 13)}:00:00.000Z`
      const price = prices.find((point) => point.timestamp <= hour)
      if (balance === 0n || price === undefined || (price.validTo ?? "9") < hour) continue
      const scale = 10n ** BigInt(decimals)
      sum += (balance * BigInt(price.price) * 2n + scale) / (2n * scale)
      count++
    }
    if (count > 0) valued++
    if (wrapped !== undefined && !query.includes("block") && !(await isLastBy(judged.url, blockNumber!, timestamp)))
      differences.push(`${timestamp}: ${blockNumber} is not the last block by then`)
    const differs = parse(valueUsd) !== sum || priced !== count
    if (differs) differences.push(`${blockNumber} ${timestamp}: ${valueUsd} of ${priced}, not ${sum} of ${count}`)
  }
  return { differences, points: points.length, valued }
}

const isLastBy = async (url: string, block: number, timestamp: string): Promise<boolean> => {
  const [own, next] = (await Promise.all(
    [block, block + 1].map((number) => call(url, "eth_getBlockByNumber", [hexOf(number), false])),
  )) as ReadonlyArray<unknown> as ReadonlyArray<{ readonly timestamp: string } | null>
  const time = Date.parse(timestamp) / 1000
  return Number(own?.timestamp) <= time && (next === null || Number(next?.timestamp) > time)
}
