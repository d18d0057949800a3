/** Texts that tokens are searched by, folded anew where this version folds them another way than the one that stored them. */
import { foldSymbol, foldText, foldVersion } from "../../../../model/search/searchText.ts"
import { numberArray } from "../../database/arrays.ts"
import { type Session, transaction } from "../wire/session.ts"

/** Tokens of one transaction. */
const atOnce = 5000

interface Texts {
  readonly token_id: number
  readonly name?: string
  readonly symbol?: string
}

/**
 * Before anything is appended. One that is ended on the way begins again, and finds less to do. Letters of ASCII were folded
 * alike by every version; older ones left blanks in symbols. `folds`: of the version that stored them.
 */
export const refoldTexts = async (session: Session, folds: number): Promise<void> => {
  if (folds === foldVersion) return
  for (let last = 0, more = true; more; ) {
    await transaction(session, async () => {
      const found = await session.run(
        (sql) => sql<Array<Texts>>`
          select token_id, name, symbol from token
          where token_id > ${last}
            and (concat(name, symbol) ~ '[^\\x01-\\x7f]' or symbol_fold like '% %')
          order by token_id limit ${atOnce}`,
      )
      more = found.length === atOnce
      last = found.at(-1)?.token_id ?? last
      const folded = (field: "name" | "symbol", fold: typeof foldText) =>
        found.map(({ [field]: text }) => (text && fold(text)) || null)
      await session.run(
        (sql) => sql`
          update token t set name_fold = f.name_fold, symbol_fold = f.symbol_fold
          from unnest(${numberArray(found.map(({ token_id }) => token_id))}::text::int4[],
                      ${folded("name", foldText)}::text[], ${folded("symbol", foldSymbol)}::text[])
            as f (token_id, name_fold, symbol_fold)
          where t.token_id = f.token_id
            and (t.name_fold, t.symbol_fold) is distinct from (f.name_fold, f.symbol_fold)`,
      )
      if (!more) await session.run((sql) => sql`update state set folds = ${foldVersion}, revision = revision + 1`)
    })
  }
}
