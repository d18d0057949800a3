/** A chain that a seed grows, replaces from any block above its final ones, and takes back: every branch stays known for a while. */
import type { ReplayBlock, ReplayChain } from "../../support/nodes/replayNode.ts"
import { makeBlock, type SoakBlock } from "./block.ts"
import { callScene } from "./scene.ts"
import { type BareLog, firstLogs, logsOfBlock, type Random, randomOf } from "./traffic.ts"

export type { SoakBlock } from "./block.ts"

export class SoakChain implements ReplayChain {
  /** The branch that stands. */
  readonly blocks: Array<SoakBlock> = []
  reorgs = 0
  /** Blocks that the deepest of them replaced. */
  deepest = 0
  /** How often a branch came back. */
  returns = 0
  private readonly byHash = new Map<string, SoakBlock>()
  private readonly random: Random
  private readonly born = new Map<string, string>()
  /** Number and time of every block there ever was. */
  private readonly times = new Set<string>()
  private orphans: ReadonlyArray<SoakBlock> = []
  private highest = 0
  private salt = 0

  constructor(
    readonly chainId: string,
    seed: number,
    readonly finality: number,
    /** Whether the node still answers for the hash of a block that was replaced. */
    private readonly remembers: boolean,
  ) {
    this.random = randomOf(seed)
    this.add(firstLogs())
  }

  /** What contracts answer of the state after a block: set by who knows it. */
  view: (to: string | undefined, data: string, block: SoakBlock) => string | undefined = () => undefined

  call = (to: string | undefined, data: string, block: ReplayBlock): string | undefined =>
    this.view(to, data, block as SoakBlock) ?? (to === undefined ? undefined : callScene(to, data))

  get head(): number {
    return this.blocks.length - 1
  }

  get newest(): SoakBlock {
    return this.blocks.at(-1)!
  }

  /** The newest block that no reorg may replace any more. */
  get final(): number {
    return this.highest - this.finality
  }

  find = (key: number | string): SoakBlock | undefined => {
    if (typeof key === "number") return this.blocks[key]
    const block = this.byHash.get(key.toLowerCase())
    return block === undefined || this.remembers || this.stands(block) ? block : undefined
  }

  /** Of any branch; undefined = the chain never had it, or long ago. */
  known(blockHash: string): SoakBlock | undefined {
    return this.byHash.get(blockHash)
  }

  /** Whether any branch ever had a block of this number and time. */
  had(number: number, time: number): boolean {
    return this.times.has(`${number} ${time}`)
  }

  withLogs = (from: number, to: number): ReadonlyArray<SoakBlock> =>
    this.blocks.slice(Math.max(0, from), to + 1).filter(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))

  /** Blocks from the first to this one, on whichever branch it is. */
  branchOf(block: SoakBlock): ReadonlyArray<SoakBlock> {
    const own: Array<SoakBlock> = []
    let at = block
    while (!this.stands(at)) {
      own.unshift(at)
      at = this.byHash.get(at.parentHash)!
    }
    return [...this.blocks.slice(0, at.number + 1), ...own]
  }

  grow(count = 1): void {
    for (let left = count; left > 0; left--) this.add(logsOfBlock(this.random))
    this.highest = Math.max(this.highest, this.head)
    this.prune()
  }

  /** Replaces the newest `depth` blocks (as many as may be) by others, as many or a few more or fewer. */
  reorg(depth: number): void {
    const allowed = Math.min(depth, this.head - Math.max(this.final, 0))
    if (allowed <= 0) {
      this.grow()
      return
    }
    this.orphans = this.truncate(this.head - allowed + 1)
    this.deepest = Math.max(this.deepest, allowed)
    const most = this.random.chance(0.1) ? allowed : allowed + 1 + this.random.below(3)
    this.grow(Math.max(1, most - this.random.below(this.random.chance(0.1) ? 2 : 1)))
    this.reorgs++
  }

  /** The blocks that were replaced last stand again, and more on them. */
  comeBack(): void {
    const [first] = this.orphans
    const parent = first && this.byHash.get(first.parentHash)
    if (parent === undefined || !this.stands(parent) || parent.number < this.final) {
      this.grow()
      return
    }
    const returning = this.orphans
    this.orphans = this.truncate(parent.number + 1)
    for (const block of returning) this.put(block)
    this.grow(1 + Math.max(0, this.highest - this.head))
    this.returns++
  }

  private stands(block: SoakBlock): boolean {
    return this.blocks[block.number]?.hash === block.hash
  }

  private truncate(from: number): ReadonlyArray<SoakBlock> {
    const gone = this.blocks.splice(from)
    for (const { born } of gone) for (const contract of born) this.born.delete(contract)
    return gone
  }

  private put(block: SoakBlock): void {
    this.blocks.push(block)
    this.byHash.set(block.hash, block)
    this.times.add(`${block.number} ${block.time}`)
    for (const contract of block.born) this.born.set(contract, block.hash)
  }

  /** Branches that ended long below the final blocks are forgotten. */
  private prune(): void {
    if (this.byHash.size < this.blocks.length + 20 * this.finality) return
    for (const block of this.byHash.values())
      if (block.number < this.final - 2 * this.finality && !this.stands(block)) this.byHash.delete(block.hash)
  }

  private add(bareLogs: ReadonlyArray<BareLog>): void {
    const { random, chainId } = this
    const isBorn = (contract: string) => this.born.has(contract)
    this.put(makeBlock({ random, chainId, parent: this.blocks.at(-1), salt: this.salt++, bareLogs, isBorn }))
  }
}
