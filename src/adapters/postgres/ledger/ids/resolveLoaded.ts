/** The tokens of a segment of a load: found in memory, in the database, or numbered. */
import type { Segment } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { Session } from "../wire/session.ts"
import type { LoadedTokens } from "./loadedTokens.ts"
import { type Birth, listed, newAddressSets, stored, type Tokens } from "./tokens.ts"

/** Places of tokens (`LoadedTokens`), row by row. */
export interface LoadedPlaces {
  readonly movements: Int32Array
  readonly nfts: Int32Array
}

/** Those that nobody knows are born, in the order of the rows: of ERC-20 first, as in every append. */
export const resolveLoaded = async (
  session: Session,
  tokens: Pick<Tokens, "sequence">,
  loaded: LoadedTokens,
  { movements, nfts }: Pick<Segment, "movements" | "nfts">,
): Promise<LoadedPlaces> => {
  const unknown = newAddressSets()
  const find = (standard: Standard, address: Address): number => {
    const place = loaded.placeOf(standard, address)
    if (place === -1) unknown[standard].add(address)
    return place
  }
  const places = {
    movements: Int32Array.from(movements, ({ token }) => find("erc20", token)),
    nfts: Int32Array.from(nfts, ({ standard, token }) => find(standard, token)),
  }
  const wanted = listed(unknown)
  if (wanted.length === 0) return places
  await loadIds(session, loaded, wanted)
  const resolve = (standard: Standard, row: Birth & { readonly token: Address }): number => {
    const known = loaded.placeOf(standard, row.token)
    if (known !== -1) return known
    const id = ++tokens.sequence
    loaded.born.push({ id, standard, address: row.token, born: row })
    return loaded.add(standard, row.token, id)
  }
  for (let row = 0; row < movements.length; row++)
    if (places.movements[row] === -1) places.movements[row] = resolve("erc20", movements[row]!)
  for (let row = 0; row < nfts.length; row++)
    if (places.nfts[row] === -1) places.nfts[row] = resolve(nfts[row]!.standard, nfts[row]!)
  return places
}

const loadIds = async (session: Session, loaded: LoadedTokens, wanted: ReturnType<typeof listed>): Promise<void> => {
  const rows = await session.run(
    (sql) => sql<Array<{ readonly place: number; readonly token_id: number }>>`
      select wanted.place, t.token_id from ${stored(sql, wanted)}`,
  )
  for (const { place, token_id } of rows) {
    const { standard, address } = wanted[place - 1]!
    loaded.add(standard, address, token_id)
  }
}
