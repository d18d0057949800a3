/** What has to be written for a chain to have these notes and no others. Pure. */
import { createHash } from "node:crypto"
import type { Address } from "../../../../model/primitives.ts"
import type { AddressedNote } from "../../../../model/tokenNote.ts"

export interface StoredNote {
  readonly address: Address
  readonly digest: string
}

export interface Changes {
  readonly put: ReadonlyArray<AddressedNote & StoredNote>
  readonly gone: ReadonlyArray<Address>
}

export const changesOf = (stored: ReadonlyArray<StoredNote>, notes: ReadonlyArray<AddressedNote>): Changes => {
  const digests = new Map(stored.map(({ address, digest }) => [address, digest]))
  const wanted = new Set(notes.map(({ address }) => address))
  return {
    put: notes
      .map((note) => ({ ...note, digest: digestOf(note) }))
      .filter(({ address, digest }) => digests.get(address) !== digest),
    gone: stored.map(({ address }) => address).filter((address) => !wanted.has(address)),
  }
}

/** The same for the same note, whatever the order of its words. */
const digestOf = ({ trusted, texts }: AddressedNote): string =>
  createHash("sha256")
    .update(JSON.stringify([trusted, Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest("base64")
