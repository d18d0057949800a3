/** Statements of a transaction that are put together once under their names: of their values only some are others each time. */
import type { Fragment, TransactionSql } from "postgres"
import type { Pending } from "../../database/Database.ts"
import type { KeptPlans } from "./keptPlans.ts"
import { makeRecent } from "./recent.ts"
import { type Rendered, rendered } from "./rendered.ts"

/** Putting a statement together takes longer than running it. One over a hundred chains has 100 kilobytes. */
const [mostWide, mostNarrow] = [50, 1000]

export interface KeptTexts {
  readonly wide: (name: string, make: () => Rendered) => Rendered
  readonly narrow: (name: string, make: () => Rendered) => Rendered
}

export const makeKeptTexts = (): KeptTexts => ({ wide: makeRecent(mostWide), narrow: makeRecent(mostNarrow) })

interface Asking {
  readonly transaction: TransactionSql
  readonly run: <B>(statement: Pending<B>) => Promise<B>
  /** Absent = each is put together and planned anew. */
  readonly statements: KeptTexts | undefined
  readonly plans: KeptPlans
}

/**
 * The rows of a statement. `name` names all that it hangs on but `changing`, values that `make` gets as marks and uses as
 * they are. `weight`: the chains that it is over.
 */
export type Ask = <A>(
  name: ReadonlyArray<unknown>,
  weight: number,
  changing: ReadonlyArray<string | null>,
  make: (marks: ReadonlyArray<string>) => Fragment,
) => Promise<A>

export const makeAsk = ({ transaction, run, statements, plans }: Asking): Ask => {
  return async <A>(
    name: ReadonlyArray<unknown>,
    weight: number,
    changing: ReadonlyArray<string | null>,
    make: (marks: ReadonlyArray<string>) => Fragment,
  ) => {
    const marks = new Map(changing.map((_, index) => [`\u0000${index}`, index]))
    const put = () => rendered(make([...marks.keys()]))
    const kept = weight === 1 ? statements?.narrow : statements?.wide
    const { text, values } = kept === undefined ? put() : kept(JSON.stringify(name), put)
    const filled = values.map((value) => {
      const place = typeof value === "string" ? marks.get(value) : undefined
      return place === undefined ? value : changing[place]
    })
    const prepare = statements !== undefined && plans.keeps(text, weight)
    return (await run(transaction.unsafe(text, filled as Array<string>, { prepare, weight }))) as unknown as A
  }
}
