/** What is asked of the service, and what of the bare server in its place. */
import type postgres from "postgres"

export interface Question {
  readonly name: string
  readonly service: ReadonlyArray<string>
  /** Absent = the bare server has no such answer: only the service is measured. */
  readonly bare?: ReadonlyArray<string>
  /** What is wanted at 64 connections, as times the bare server's; absent = nothing is. */
  readonly wanted?: Wanted
}

interface Wanted {
  readonly leastRate: number
  readonly mostP99: number
}
const short: Wanted = { leastRate: 0.75, mostP99: 1.5 }
/** Of 1,000 rows only the rate. */
const long: Wanted = { leastRate: 0.6, mostP99: Number.POSITIVE_INFINITY }

interface Pair {
  readonly token: string
  readonly holder: string
}

/** How many tokens are asked about in turn, and how many holders of each. */
export interface Variety {
  readonly tokens: number
  readonly holders: number
}

/** The tokens with most holders, pairs of them at random but alike in each run, and the ledger's head. */
const findPlaces = async (sql: postgres.Sql, schema: string, { tokens: mostTokens, holders }: Variety) => {
  const table = (name: string) => sql(`${schema}.${name}`)
  const tokens = await sql<Array<{ address: string; token_id: number }>>`
    select '0x' || encode(address, 'hex') as address, token_id from ${table("token_stat")}
    where standard = 20 order by holders desc, address limit ${mostTokens}`
  const pairs: Array<Pair> = []
  for (const { address, token_id } of tokens) {
    const rows = await sql<Array<{ holder: string }>>`
      select '0x' || encode(holder, 'hex') as holder from ${table("balance")}
      where token_id = ${token_id} and octet_length(holder) = 20 and balance > 0
      order by sha256(holder) limit ${holders}`
    pairs.push(...rows.map(({ holder }) => ({ token: address, holder })))
  }
  const [state] = await sql<[{ head: number }]>`select next_block - 1 as head from ${table("state")}`
  return { tokens: tokens.map(({ address }) => address), pairs, head: state.head }
}

/** Of the large chain, and of `all`. */
export const questionsOf = async (
  sql: postgres.Sql,
  schema: string,
  chainId: number,
  variety: Variety,
): Promise<ReadonlyArray<Question>> => {
  const { tokens, pairs, head } = await findPlaces(sql, schema, variety)
  const base = `/v2/network/mainnet/evm/${chainId}`
  const compat = `${base}/etherscan/api?module`
  const hot = tokens[0]!
  const far = Math.floor(head / 2)
  const lists = [25, 1000].flatMap((limit): ReadonlyArray<Question> => {
    const wanted = limit === 25 ? short : long
    return [
      {
        name: `newest ${limit} transfers`,
        service: [`${base}/erc20-transfers?limit=${limit}`],
        bare: [`/newest/${limit}`],
        wanted,
      },
      {
        name: `newest ${limit} transfers of a token`,
        service: tokens.map((token) => `${base}/erc20-transfers?limit=${limit}&tokenAddress=${token}`),
        bare: tokens.map((token) => `/of-token/${limit}/${token}`),
        wanted,
      },
      {
        name: `${limit} holders`,
        service: tokens.map((token) => `${base}/erc20/${token}/holders?limit=${limit}`),
        bare: tokens.map((token) => `/holders/${limit}/${token}`),
        wanted,
      },
      {
        name: `${limit} tokens by holders`,
        service: [`${base}/erc20?limit=${limit}&sort=holdersCount,desc`],
        bare: [`/tokens/${limit}`],
        wanted,
      },
    ]
  })
  return [
    ...lists,
    {
      name: "100 holdings of an address",
      service: pairs.map(({ holder }) => `${compat}=account&action=addresstokenbalance&address=${holder}`),
      bare: pairs.map(({ holder }) => `/holdings/100/${holder}`),
      wanted: short,
    },
    {
      name: "balance",
      service: pairs.map(
        ({ token, holder }) => `${compat}=account&action=tokenbalance&address=${holder}&contractaddress=${token}`,
      ),
      bare: pairs.map(({ token, holder }) => `/balance/${token}/${holder}`),
      wanted: short,
    },
    {
      name: "supply",
      service: tokens.map((token) => `${compat}=stats&action=tokensupply&contractaddress=${token}`),
      bare: tokens.map((token) => `/supply/${token}`),
      wanted: short,
    },
    {
      name: "holder count",
      service: tokens.map((token) => `${compat}=token&action=tokenholdercount&contractaddress=${token}`),
      bare: tokens.map((token) => `/holder-count/${token}`),
      wanted: short,
    },
    {
      name: "balance at an old block",
      service: pairs.map(
        ({ token, holder }) =>
          `${compat}=account&action=tokenbalancehistory&address=${holder}&contractaddress=${token}&blockno=${far}`,
      ),
      bare: pairs.map(({ token, holder }) => `/balance-at/${far}/${token}/${holder}`),
      wanted: short,
    },
    {
      name: "25 holders near the head",
      service: tokens.map((token) => `${base}/erc20/${token}/holders?limit=25&blockNumber=${head - 10}`),
    },
    {
      name: "25 holders far behind",
      service: [`${base}/erc20/${hot}/holders?limit=25&blockNumber=${far}`],
    },
    {
      name: "25 transfers with the count",
      service: tokens.map((token) => `${base}/erc20-transfers?limit=25&tokenAddress=${token}&count=true`),
    },
    {
      name: "25 transfers of all chains",
      service: ["/v2/network/mainnet/evm/all/erc20-transfers?limit=25"],
    },
    {
      name: "25 tokens of all chains",
      service: ["/v2/network/mainnet/evm/all/erc20?limit=25"],
    },
  ]
}
