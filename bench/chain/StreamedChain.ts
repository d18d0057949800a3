/** A chain of any length in little memory: made once for its headers, and once more, from the same seed, as its blocks are read. */
import { type Block, Chain, type ChainOptions } from "./Chain.ts"
import type { Header } from "./header.ts"

/** Blocks that can be asked for again; and how far ahead of the newest that was made one may ask. */
const keptBlocks = 3000
const mostAhead = 3000

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
  /** The truth is that of the blocks that were read: of all once the last was. */
  readonly chain: Chain
  transfers: number
  /** ERC-721 and ERC-1155. */
  collections: { readonly logs: number; readonly rows: number }
  private readonly headers: Array<Header>

  constructor(
    options: ChainOptions,
    private readonly length: Length,
  ) {
    const counted = new Chain(options, false)
    while (growTo(counted, length));
    this.transfers = counted.transfers
    this.collections = { logs: counted.collections.logs, rows: counted.collections.rows }
    this.headers = counted.blocks.map((block) => block!.header)
    this.chain = new Chain(options)
  }

  get head(): Header {
    return this.headers.at(-1)!
  }

  get firstTransactions(): Chain["firstTransactions"] {
    return this.chain.firstTransactions
  }

  get population(): Chain["population"] {
    return this.chain.population
  }

  /** Adds a block of so many ERC-20 transfers behind its length; what nobody has read yet is made first. */
  grow(most: number | undefined, exactly: number | undefined): void {
    const { chain, headers } = this
    while (chain.blocks.length < headers.length) growTo(chain, this.length)
    chain.grow(most, exactly)
    headers.push(chain.head)
    this.transfers = chain.transfers
    this.collections = { logs: chain.collections.logs, rows: chain.collections.rows }
  }

  headerOf(number: number): Header | undefined {
    return this.headers[number]
  }

  /** A look at a few blocks beyond those that were made: to answer it all between would have to be made, and forgotten. */
  isLook(from: number, to: number): boolean {
    return from > this.chain.blocks.length && to - from < 8
  }

  blockOf(number: number): Block | undefined {
    const { chain } = this
    if (number >= this.headers.length || number >= chain.blocks.length + mostAhead) return undefined
    while (chain.blocks.length <= number && growTo(chain, this.length));
    chain.forgetBefore(chain.blocks.length - keptBlocks)
    return chain.blockOf(number)
  }
}
