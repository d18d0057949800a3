/** Which accounts seem to have very many transfers, by samples of them, in bounded memory. */
import type { MarkSample, StandardAccount } from "../../ports/AccountMarks.ts"

export interface BusyAccounts {
  /** Of so many rows one is to be seen. */
  readonly share: number
  /**
   * Takes the accounts of a sample of blocks, and gives those who by now seem to have enough rows. Blocks that were seen
   * already are nothing: a second look would count their rows twice.
   */
  readonly see: (accounts: MarkSample["accounts"], blocks: BlockRange) => ReadonlyArray<StandardAccount>
  /** Forgets all that was seen. */
  readonly clear: () => void
  /** An account that was given has fewer rows in truth. It is given again when the samples say that it has the rest. */
  readonly learned: (account: StandardAccount, rows: number) => void
}

interface BlockRange {
  readonly from: number
  readonly to: number
}

export interface BusySettings {
  /** Rows that make an account busy. */
  readonly least: number
  /** Of how many rows one is seen. */
  readonly share: number
  /** Accounts that are remembered. */
  readonly most: number
}

interface Seen {
  rows: number
  /** Rows of samples at which it is given. */
  bar: number
}

const nameOf = ({ standard, address }: StandardAccount): string => `${standard} ${address}`

export const makeBusyAccounts = ({ least, share, most }: BusySettings): BusyAccounts => {
  const accounts = new Map<string, Seen>()
  /** Those who were seen least often go. Of all samples together no more is forgotten of an account than one row in `most`. */
  const shrink = (): void => {
    while (accounts.size > most) {
      for (const [name, seen] of accounts) {
        seen.rows--
        if (seen.rows <= 0) accounts.delete(name)
      }
    }
  }
  let seenTo = 0
  return {
    share,
    clear: () => {
      accounts.clear()
      seenTo = 0
    },
    see: (sample, { from, to }) => {
      if (from < seenTo) return []
      seenTo = to
      const busy: Array<StandardAccount> = []
      for (const { rows, ...account } of sample) {
        const name = nameOf(account)
        const seen = accounts.get(name) ?? { rows: 0, bar: least / share }
        seen.rows += rows
        accounts.set(name, seen)
        if (seen.rows >= seen.bar) busy.push(account)
      }
      shrink()
      return busy
    },
    learned: (account, rows) => {
      const seen = accounts.get(nameOf(account))
      if (seen !== undefined) seen.bar = seen.rows + Math.max((least - rows) / share, 1)
    },
  }
}
