/** Every native list of a chain, each with all the items it must have. */
import { holderRecords, idRecords, type Known, tokenRecords, transferRecord, unitRecords } from "./records.ts"
import { type SwapRecord, swapRecord } from "./trueSwaps.ts"
import { contractsOf, nobody, type TrueRow, type TrueStandard, type Truth } from "./truth.ts"

export interface ExpectedList {
  /** With its query, but for `limit` and cursors. */
  readonly path: string
  readonly items: ReadonlyArray<object>
}

/** Chain id 31337 in network mainnet. */
export const chainPath = "/v2/network/mainnet/evm/31337"
const allPath = "/v2/network/mainnet/evm/all"
const standards = ["erc20", "erc721", "erc1155"] as const

export const listsOf = (truth: Truth, known: Known): ReadonlyArray<ExpectedList> => [
  ...swapFeeds(truth, known),
  ...standards.flatMap((standard) => [
    ...contractLists(truth, known, standard),
    ...feeds(truth, known, standard),
    ...contractsOf(truth, standard).flatMap((address) => [
      {
        path: `${chainPath}/${standard}/${address}/holders?`,
        items: standard === "erc1155" ? unitRecords(truth, address) : holderRecords(truth, standard, address),
      },
      ...(standard === "erc721"
        ? [{ path: `${chainPath}/erc721/${address}/tokens?`, items: idRecords(truth, known, address) }]
        : []),
    ]),
  ]),
]

const contractLists = (truth: Truth, known: Known, standard: TrueStandard): ReadonlyArray<ExpectedList> => [
  { path: `${chainPath}/${standard}?`, items: tokenRecords(truth, known, standard, "createdAt", "desc") },
  ...(["createdAt", "holdersCount", "transfers", "name"] as const).flatMap((field) =>
    (["asc", "desc"] as const).map((direction) => ({
      path: `${field === "name" ? chainPath : allPath}/${standard}?sort=${field},${direction}&`,
      items: tokenRecords(truth, known, standard, field, direction),
    })),
  ),
]

/** The chain's feed, each contract's, and those of every filter, both ways. */
const feeds = (truth: Truth, known: Known, standard: TrueStandard): ReadonlyArray<ExpectedList> => {
  const rows = truth.rows[standard]
  const feed = (query: string, passes: (row: TrueRow) => boolean, path = chainPath): ReadonlyArray<ExpectedList> => {
    const items = rows.filter(passes).map((row) => transferRecord(known, row))
    return [
      { path: `${path}/${standard}-transfers?${query}sort=asc&`, items },
      { path: `${path}/${standard}-transfers?${query}`, items: items.toReversed() },
    ]
  }
  const contracts = contractsOf(truth, standard)
  const busiest = mostOf(rows.flatMap(({ from, to }) => [from, to]).filter((it) => it !== nobody))
  const [a, b] = [busiest[0] ?? nobody, busiest[1] ?? nobody]
  const [contract, other] = mostOf(rows.map(({ token }) => token))
  const half = Math.floor(truth.head.number / 2)
  return [
    ...feed("", () => true),
    ...feed("", () => true, allPath),
    ...contracts.flatMap((address) => feed(`tokenAddress=${address}&`, ({ token }) => token === address)),
    ...feed(`from=${a}&`, ({ from }) => from === a),
    ...feed(`to=${a},${b}&`, ({ to }) => to === a || to === b),
    ...feed(`address=${a}&address=${nobody}&`, ({ from, to }) => [from, to].some((it) => it === a || it === nobody)),
    ...feed(`from=${nobody}&`, ({ from }) => from === nobody),
    ...feed(`to=${nobody}&blockNumberFrom=${half}&`, ({ to, blockNumber }) => to === nobody && blockNumber >= half),
    ...feed(
      `blockNumberFrom=${half}&blockNumberTo=${half + 9}&`,
      (row) => row.blockNumber >= half && row.blockNumber <= half + 9,
    ),
    ...(contract === undefined
      ? []
      : [
          ...feed(
            `tokenAddress=${contract}&address=${b}&`,
            (row) => row.token === contract && (row.from === b || row.to === b),
          ),
          ...feed(
            `tokenAddress=${contract},${other ?? contract}&blockNumberTo=${half}&`,
            ({ token, blockNumber }) => (token === contract || token === other) && blockNumber <= half,
          ),
          ...(standard === "erc20" ? [] : idFeeds(rows, contract, feed)),
        ]),
  ]
}

/** The feed of swaps, those of each token and of the busiest two, both ways. */
const swapFeeds = ({ swaps }: Truth, { pools }: Known): ReadonlyArray<ExpectedList> => {
  const records = swaps.map((swap) => swapRecord(pools, swap))
  const feed = (query: string, passes: (record: SwapRecord) => boolean, path = chainPath) => {
    const items = records.filter(passes)
    return [
      { path: `${path}/erc20-swaps?${query}sort=asc&`, items },
      { path: `${path}/erc20-swaps?${query}`, items: items.toReversed() },
    ]
  }
  const tokens = mostOf(records.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const [a, b] = [tokens[0] ?? nobody, tokens[1] ?? nobody]
  return [
    ...feed("", () => true),
    ...feed("", () => true, allPath),
    ...tokens.flatMap((token) => [
      ...feed(`token=${token}&`, ({ tokenIn, tokenOut }) => tokenIn === token || tokenOut === token),
      ...feed(`tokenIn=${token}&`, ({ tokenIn }) => tokenIn === token, allPath),
      ...feed(`tokenOut=${token}&`, ({ tokenOut }) => tokenOut === token),
    ]),
    ...feed(`tokenIn=${a}&tokenOut=${b}&`, ({ tokenIn, tokenOut }) => tokenIn === a && tokenOut === b),
    ...feed(
      `tokenIn=${a},${b}&token=${b}&`,
      ({ tokenIn, tokenOut }) => [a, b].includes(tokenIn) && [tokenIn, tokenOut].includes(b),
    ),
  ]
}

type Feed = (query: string, passes: (row: TrueRow) => boolean) => ReadonlyArray<ExpectedList>

const idFeeds = (rows: ReadonlyArray<TrueRow>, contract: string, feed: Feed) => {
  const [one, two] = mostOf(rows.filter(({ token }) => token === contract).map(({ tokenId }) => `${tokenId}`))
  const [busiest] = mostOf(rows.filter((row) => row.token === contract && `${row.tokenId}` === one).map(({ to }) => to))
  const isId = (row: TrueRow, ...ids: ReadonlyArray<string | undefined>) =>
    row.token === contract && ids.includes(`${row.tokenId}`)
  return [
    ...feed(`tokenAddress=${contract}&tokenId=${one}&`, (row) => isId(row, one)),
    ...feed(`tokenAddress=${contract}&tokenId=${one},${two ?? one}&`, (row) => isId(row, one, two)),
    ...feed(`tokenAddress=${contract}&tokenId=${one}&to=${busiest}&`, (row) => isId(row, one) && row.to === busiest),
  ]
}

/** The values, those that come most often first. */
const mostOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length).map(([value]) => value)
