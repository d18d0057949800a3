/** A chain of any length in little memory: made from its seed once, its blocks put into a file as they are made, and read from there. */

import { BlockFile } from "./blockFile.ts"
import { type Block, Chain, type ChainOptions } from "./Chain.ts"
import type { Header } from "./header.ts"

export interface Length {
  /** ERC-20 transfers; `blocks` above 0: so many blocks instead. */
  readonly logs: number
  readonly blocks: number
}

/** Adds the next block of a chain of that length; false = it is as long. */
export const growTo = (chain: Chain, { logs, blocks }: Length): boolean => {
  if (blocks > 0 ? chain.blocks.length > blocks : chain.transfers >= logs) return false
  chain.grow(blocks > 0 ? undefined : logs - chain.transfers)
  return true
}

export class StreamedChain {
  readonly chain: Chain
  private readonly file = new BlockFile()
  private readonly headers: Array<Header> = []

  constructor(options: ChainOptions, length: Length) {
    this.chain = new Chain(options, true)
    do this.store()
    while (growTo(this.chain, length))
  }

  get head(): Header {
    return this.chain.head
  }

  get transfers(): number {
    return this.chain.transfers
  }

  get collections(): Chain["collections"] {
    return this.chain.collections
  }

  get firstTransactions(): Chain["firstTransactions"] {
    return this.chain.firstTransactions
  }

  get population(): Chain["population"] {
    return this.chain.population
  }

  /** Adds a block of so many ERC-20 transfers behind its length. */
  grow(most: number | undefined, exactly: number | undefined): void {
    this.chain.grow(most, exactly)
    this.store()
  }

  headerOf(number: number): Header | undefined {
    return this.headers[number]
  }

  blockOf(number: number): Block | undefined {
    const header = this.headers[number]
    return header && { header, ...this.file.read(number) }
  }

  private store(): void {
    const { chain, headers, file } = this
    const block = chain.blocks.at(-1)!
    headers.push(block.header)
    file.append(block)
    chain.forgetNewest()
  }
}
