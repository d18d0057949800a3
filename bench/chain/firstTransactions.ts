/** The transactions of each contract's first events: the first of all made it. What `eth_getCode` and receipts tell of that. */
import type { LogPlace, LogShape } from "./renderer.ts"

interface First {
  readonly hash: string
  readonly address: string
  readonly block: number
  readonly forget: () => void
}

export class FirstTransactions {
  private readonly seen = new Map<Uint8Array, Set<Uint8Array>>()
  private readonly all: Array<First> = []
  private readonly byHash = new Map<string, First>()
  private readonly bornAt = new Map<string, number>()

  /** Remembers the place where the contract's log is the first of its kind. */
  add({ address, topics: [signature] }: LogShape, { block, transactionHash }: LogPlace): void {
    if (signature === undefined) return
    const kinds = this.seen.get(address) ?? new Set()
    if (kinds.has(signature)) return
    kinds.add(signature)
    this.seen.set(address, kinds)
    const [hash, text] = [textOf(transactionHash), textOf(address)]
    const first: First = {
      hash,
      address: text,
      block,
      forget: () => {
        kinds.delete(signature)
        if (this.byHash.get(hash) === first) this.byHash.delete(hash)
        if (this.bornAt.get(text) === block) this.bornAt.delete(text)
      },
    }
    this.all.push(first)
    if (!this.byHash.has(hash)) this.byHash.set(hash, first)
    if (!this.bornAt.has(text)) this.bornAt.set(text, block)
  }

  /** Forgets those of blocks from `block` on. */
  rewind(block: number): void {
    while ((this.all.at(-1)?.block ?? -1) >= block) this.all.pop()!.forget()
  }

  /** Block of a transaction, and the contract that it made, if any; undefined for one that is not remembered. */
  find(hash: string): { readonly block: number; readonly contract?: string } | undefined {
    const first = this.byHash.get(hash)
    if (first === undefined) return undefined
    const made = this.bornAt.get(first.address) === first.block
    return { block: first.block, ...(made ? { contract: first.address } : {}) }
  }

  /** Since which block the address has code; undefined where it has none. */
  birthOf(address: string): number | undefined {
    return this.bornAt.get(address)
  }
}

const textOf = (digits: Uint8Array): string => `0x${Buffer.from(digits).toString("latin1")}`
