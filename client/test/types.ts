/** What the types promise, held by the compiler: nothing here is run. */
import {
  type Change,
  CowryError,
  createClient,
  type Item,
  type List,
  type Page,
  type Query,
  type Row,
  type TransferRow,
} from "../src/index.ts"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>(): void => {}

const cowry = createClient({ baseUrl: "http://127.0.0.1:3000" })
const chain = cowry.chain(1)

// Rows are the document's.
holds<Equal<Row<"erc20Transfers">["amount"], string>>()
holds<Equal<Row<"erc20Transfers">["raw"], { readonly amount: bigint }>>()
holds<Equal<Row<"erc1155Transfers">["raw"], { readonly amount: bigint; readonly tokenId: bigint }>>()
holds<Equal<Row<"erc20Transfers">["tokenSymbol"], string | undefined>>()
holds<Equal<Row<"erc20Swaps">["price"], number>>()
holds<Equal<Row<"erc721Tokens">["raw"], { readonly tokenId: bigint }>>()
// What a row may lack, its bigint may lack.
holds<Equal<Row<"erc20">["raw"]["totalSupply"], bigint | undefined>>()
holds<Equal<Row<"erc20Holders">["raw"]["balance"], bigint>>()
// @ts-expect-error the record has no such field
type _1 = Row<"erc20Transfers">["ammount"]
// @ts-expect-error a price of a swap is no whole number
type _2 = Row<"erc20Swaps">["raw"]["price"]
// @ts-expect-error there is no such list
type _3 = Row<"erc777">

// Calls take what the endpoint takes.
holds<Equal<ReturnType<typeof chain.erc20>, List<"erc20">>>()
holds<Equal<Query<"erc20Transfers">["finality"], "latest" | "finalized" | undefined>>()
chain.erc20Transfers({ tokenAddress: ["0x00"], finality: "finalized", include: ["wraps"], blockNumberFrom: 1 })
chain.addressTokensBalances("0x00", "0x01", { limit: 5 }, { minBlock: 7, signal: AbortSignal.timeout(1) })
cowry.statusAudit({ state: "drift" })
// @ts-expect-error no such filter
chain.erc20Transfers({ tokenaddress: ["0x00"] })
// @ts-expect-error ERC-20 has no ids
chain.erc20Transfers({ tokenId: ["1"] })
// @ts-expect-error another word
chain.erc20Transfers({ finality: "safe" })
// @ts-expect-error a number
chain.erc20Transfers({ limit: "5" })
// @ts-expect-error the token is missing
chain.erc20Holders()
// @ts-expect-error the addresses are missing
chain.tokensOf()
// @ts-expect-error of no chain
cowry.erc20()
// @ts-expect-error of the service
chain.statusAudit()
// @ts-expect-error where the service is must be said
createClient({})

export const lists = async (): Promise<void> => {
  for await (const row of chain.erc721Transfers()) holds<Equal<typeof row, Row<"erc721Transfers">>>()
  for await (const page of chain.erc20Swaps().pages()) holds<Equal<typeof page, Page<"erc20Swaps">>>()
  const { items, asOf, next } = await chain.erc20().page()
  holds<Equal<typeof next, string | undefined>>()
  holds<Equal<(typeof asOf)[number]["block"], number>>()
  // @ts-expect-error rows are not for writing: there may be none
  items[0].address
  const { data } = await chain.erc20One("0x00")
  holds<Equal<(typeof data)["transfersCount"], Item<"erc20One">["transfersCount"]>>()
  const { chains } = await cowry.ready()
  holds<Equal<(typeof chains)[number]["chainId"], string>>()
}

export const feed = async (): Promise<void> => {
  for await (const change of chain.changes({ kinds: ["transfer"], delivery: "finalized" })) {
    holds<Equal<typeof change, Change>>()
    holds<Equal<typeof change.position, string>>()
    if (change.type === "transfer") {
      holds<Equal<typeof change.data, TransferRow>>()
      holds<Equal<typeof change.data.late, true | undefined>>()
      if (change.data.standard === "erc20") holds<Equal<typeof change.data.raw.amount, bigint>>()
      if (change.data.standard === "erc721") holds<Equal<typeof change.data.raw.tokenId, bigint>>()
      // @ts-expect-error an ERC-721 has no amount
      if (change.data.standard === "erc721") change.data.amount
    }
    if (change.type === "retract") holds<Equal<typeof change.data.id, string>>()
    if (change.type === "heartbeat") holds<Equal<typeof change.data.lagBlocks, number>>()
    // @ts-expect-error that one is an error
    if (change.type === "gone") return
  }
  // @ts-expect-error no such kind
  chain.changes({ kinds: ["mint"] })
}

export const errors = (error: unknown): void => {
  if (!(error instanceof CowryError)) return
  if (error.code === "INVALID_PARAMETER") holds<Equal<typeof error.parameter, string | undefined>>()
  // @ts-expect-error no such word
  if (error.code === "INVALID_PARAMTER") return
}
