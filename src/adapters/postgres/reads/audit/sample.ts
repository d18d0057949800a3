/** Reads a sample of the ledger for an audit, all of it in one snapshot. */
import type { Fragment, TransactionSql } from "postgres"
import type { Snapshot } from "../../../../model/page.ts"
import type { Standard } from "../../../../model/token.ts"
import type { AuditBreadth, AuditChoice, AuditSample, LedgerFigure } from "../../../../ports/AuditStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { Pending } from "../../database/Database.ts"
import { asOfPoints, type StateRow, selectState } from "../common/asOf.ts"
import { selectTokens, type TokenRow } from "./chosenTokens.ts"
import { type FigureRow, selectBalances, selectOwners, selectUnits, type Wanted } from "./figures.ts"
import { recordOf, standardOf } from "./record.ts"

/** A transaction that holds the snapshot. */
interface Reader {
  readonly tx: TransactionSql
  readonly run: <A>(statement: Pending<A>) => Promise<A>
}

export const readSample = async (
  { tx, run }: Reader,
  chain: ChainSql,
  choice: AuditChoice,
  breadth: AuditBreadth,
): Promise<Snapshot<ReadonlyArray<AuditSample>>> => {
  const states = await run(tx<Array<StateRow>>`${selectState(chain)}`)
  if (states.length === 0) return { asOf: [], value: [] }
  const tokens = await run(tx<Array<TokenRow>>`${selectTokens(chain, choice)}`)
  const samples = tokens.map(startOf)
  for (const standard of new Set(samples.map(({ token }) => token.standard))) {
    const ofStandard = samples.flatMap((sample, index) => (sample.token.standard === standard ? [index] : []))
    const wanted = ofStandard.map(
      (index): Wanted => ({
        tokenId: tokens[index]!.token_id,
        firstBlock: tokens[index]!.first_block,
        watched: samples[index]!.last?.watched ?? [],
      }),
    )
    for (const statement of statementsOf(chain, standard, wanted, breadth)) {
      for (const row of await run(tx<Array<FigureRow>>`${statement}`)) {
        const sample = samples[ofStandard[row.place - 1]!]!
        sample.figures.push(figureOf(sample.token, row))
      }
    }
  }
  return { asOf: asOfPoints([chain], states), value: samples }
}

const statementsOf = (
  chain: ChainSql,
  standard: Standard,
  wanted: ReadonlyArray<Wanted>,
  breadth: AuditBreadth,
): ReadonlyArray<Fragment> => {
  if (standard === "erc1155") return [selectUnits(chain, wanted, breadth)]
  const balances = selectBalances(chain, standard, wanted, breadth)
  return standard === "erc20" ? [balances] : [balances, selectOwners(chain, wanted, breadth)]
}

const startOf = (row: TokenRow): AuditSample & { readonly figures: Array<LedgerFigure> } => {
  const { standard: number, address, first_block, first_log, first_tx, older, mixed, supply, burnt, last } = row
  const standard = standardOf(number)
  return {
    token: { standard, address, firstBlock: first_block, firstLogIndex: first_log, firstTxHash: first_tx },
    ...(older === undefined ? {} : { older }),
    mixed,
    burnt: BigInt(burnt),
    figures: standard === "erc1155" ? [] : [{ of: "supply", token: address, ledger: BigInt(supply), touched: -1 }],
    ...(last === undefined ? {} : { last: recordOf(address, last) }),
  }
}

const figureOf = ({ standard, address: token }: AuditSample["token"], row: FigureRow): LedgerFigure => {
  const { holder, id, ledger, touched } = row
  if (id === undefined) return { of: "balance", token, holder: holder!, ledger: BigInt(ledger), touched }
  if (standard === "erc721") return { of: "owner", token, tokenId: id, ledger: BigInt(holder!), touched }
  return { of: "unit", token, holder: holder!, tokenId: id, ledger: BigInt(ledger), touched }
}
