/** The tool about one balance. What it says of an ERC-20 or ERC-721 is what `tokenbalance` does: true, or refused. */
import { Schema } from "effect"
import { Address, BigIntString } from "../../../model/primitives.ts"
import { audits } from "../native/audits.ts"
import { erc20Holders } from "../native/holders.ts"
import { compatAnswer } from "./compatAnswer.ts"
import { decimalText } from "./decimals.ts"
import { atBlock, holders, named, namedOf, passed, standardOf, token, tokenOf, unitsOf } from "./given.ts"
import { type Got, type Json, ofOneMoment, Refusal, type Service, type Value } from "./service.ts"
import {
  type Arguments,
  anAddress,
  answered,
  decimalOf,
  needed,
  oneChain,
  parametersOf,
  present,
  standard,
  type Tool,
  textOf,
} from "./tool.ts"

interface Held {
  readonly rows: ReadonlyArray<Json>
  readonly told: Got["told"]
}

const mostRows = 1000

/** The rows that the list of holders has of the address, and which block was meant. */
const listedOf = async (given: Arguments, service: Service): Promise<Held> => {
  const names = { chain: textOf(given, "chain"), address: textOf(given, "tokenAddress") }
  const query = { address: given.address, limit: mostRows, ...passed(given, atBlock) }
  const { body, told } = await service.get(holders[standardOf(given)], names, query)
  const { items, link } = body as { readonly items: ReadonlyArray<Json>; readonly link: { readonly next?: string } }
  if (link.next !== undefined) throw new Refusal("more than 1,000 ids are held: ask the tool `holders_at` page by page")
  return { rows: items, told }
}

/** No row in the list may be a holder from before the ledger: only the figure itself is nothing, or refused. */
const figureOf = async (given: Arguments, service: Service, block: Value | undefined): Promise<Held> => {
  const { result, told } = await compatAnswer(service, textOf(given, "chain"), {
    module: "account",
    action: block === undefined ? "tokenbalance" : "tokenbalancehistory",
    contractaddress: textOf(given, "tokenAddress"),
    address: given.address,
    blockno: block,
  })
  const rows = [{ balance: String(result) }]
  return { rows, told: block === undefined ? told : { ...told, atBlock: Number(block) } }
}

/** The list knows which block a time means. */
const oneBalance = async (given: Arguments, service: Service): Promise<Held> => {
  if (given.timestamp === undefined) return figureOf(given, service, given.blockNumber)
  const { other } = await ofOneMoment(async () => {
    const listed = await listedOf(given, service)
    return [listed, await figureOf(given, service, listed.told.atBlock)]
  })
  return other
}

/** Of which standard the contract is too, the figure is; so the ids are the list's, where the figure is not refused: both are equally old. */
const countOfIds = async (given: Arguments, service: Service): Promise<Held> => {
  const figure = await oneBalance(given, service)
  if (!(await isErc20(given, service))) return figure
  const { rows, told } = await listedOf(given, service)
  return { rows: rows.length === 0 ? [{ balance: "0" }] : rows, told }
}

const isErc20 = async (given: Arguments, service: Service): Promise<boolean> => {
  const { body } = await service.get(
    audits,
    {},
    { chainId: chainIdOf(given, service), tokenAddress: given.tokenAddress },
  )
  const { items } = body as { readonly items: ReadonlyArray<Json> }
  return items.some((row) => row.standard === "erc20")
}

const chainIdOf = (given: Arguments, { chains }: Service): string => {
  const chain = textOf(given, "chain")
  const found = chains.find(({ chainId, name }) => [chainId, name?.toLowerCase()].includes(chain.toLowerCase()))
  return found?.chainId ?? chain
}

const ways = { erc20: oneBalance, erc721: countOfIds, erc1155: listedOf }

export const balanceTool: Tool = {
  name: "balance_at",
  title: "One balance, at any block",
  description:
    "How much of one token an address holds, now or after any block, or at any time. Exact: from the ledger of all transfers, or where the token changes balances without events, or is older than the ledger, from its contract; refused where neither can tell, and of a contract that the ledger has no event of. Of an ERC-1155 a row per id of which the ledger has transfers.",
  takes: {
    chain: oneChain,
    tokenAddress: token,
    address: needed(anAddress("Who holds")),
    standard,
    ...parametersOf(erc20Holders, atBlock),
  },
  gives: answered({
    chainId: Schema.String,
    address: Address,
    tokenAddress: Address,
    ...named,
    balances: Schema.Array(
      Schema.Struct({
        tokenId: Schema.optionalKey(BigIntString),
        balance: BigIntString.annotateKey({ description: "Raw subunits, or ids" }),
        balanceDecimal: decimalOf("balance"),
      }),
    ).annotateKey({ description: "Of an ERC-1155 those ids that are held; of others one" }),
  }),
  run: async (given, service) => {
    const asked = await tokenOf(service, given)
    const { rows, told } = await ways[standardOf(given)](given, service)
    const units = unitsOf(asked, given)
    return {
      chainId: chainIdOf(given, service),
      address: textOf(given, "address").toLowerCase(),
      tokenAddress: textOf(given, "tokenAddress").toLowerCase(),
      ...namedOf(asked),
      balances: rows.map(({ tokenId, balance }) =>
        present({ tokenId, balance, balanceDecimal: decimalText(String(balance), units) }),
      ),
      ...told,
    }
  },
}
