/** Asks a running service and holds every answer against the oracle, for the very blocks that the answer names. */
import type { Random } from "../../demo/chain/random.ts"
import type { SoakBlock } from "./chain/chain.ts"
import { type Answer, Client, pairsOf } from "./client.ts"
import { differenceOf, short } from "./compare.ts"
import type { Oracle, State } from "./oracle.ts"
import { inOrder, judgePage, type ListQuestion, type Place } from "./questions/lists.ts"
import type { Question } from "./questions/questions.ts"
import { type StreamType, streamDifference } from "./questions/streams.ts"
import type { ValueQuestion } from "./questions/values.ts"
import { dateOf } from "./records.ts"
import type { MomentQuestion } from "./wallet/momentQuestions.ts"

export interface Difference {
  readonly url: string
  /** The blocks that the answer named. */
  readonly block: string
  readonly what: string
}

export class Tester {
  checks = 0
  readonly differences: Array<Difference> = []
  /** All that is learned in the background is there: nothing may be missing any more. */
  settled = false
  private readonly client: Client

  constructor(
    private readonly url: string,
    private readonly oracles: ReadonlyMap<string, Oracle>,
    private readonly tell: (difference: Difference) => void = () => {},
  ) {
    this.client = new Client(url, (path, what, answer) => this.check(path, what, answer))
  }

  /** Asks the same service; what it finds nobody hears of. */
  copy(): Tester {
    return new Tester(this.url, this.oracles)
  }

  /** One question; of a list now and then further pages, on and back. */
  async ask(question: Question, random: Random): Promise<void> {
    if (question.kind === "value") {
      await this.askValue(question)
      return
    }
    if (question.kind === "moment") {
      await this.askMoment(question)
      return
    }
    if (random.chance(0.08)) {
      await this.stream(question, random.pick(["application/x-ndjson", "text/csv"]))
      return
    }
    const pages = random.chance(0.5) ? 1 : 1 + random.below(6)
    await this.walk(question, pages, () => random.chance(0.25))
  }

  /** Pages from the first on, as many as there are up to `most`. Gives how many rows were seen. */
  async walk(question: ListQuestion, most: number, turnsBack: () => boolean = () => false): Promise<number> {
    let url = question.url
    let place: Place = {}
    let rows = 0
    /** Of the block that the list is as of, on the first page. */
    let pinned: SoakBlock | undefined
    /** The one that the cursor names. */
    let named: SoakBlock | undefined
    for (let page = 0; page < most; page++) {
      const answer = await this.client.fetch(url, {}, page % 2 === 1)
      const states = this.statesOf(answer, url, question.chains)
      if (states === undefined) return rows
      if (question.block !== undefined) {
        const block = blockAt(states[0]!, question.block)
        const refusal = this.refusalOf(question.block, block, pinned, states[0]!)
        if (answer.status === 400 && refusal !== "none") {
          this.check(
            url,
            codeOf(answer) === refusal ? undefined : `wanted ${refusal}, got ${short(answer.text)}`,
            answer,
          )
          return rows
        }
        if (block === undefined || (pinned !== undefined && pinned.hash !== block.hash)) {
          this.check(url, `block ${question.block} is another one, or not there: ${short(answer.text)}`, answer)
          return rows
        }
        pinned = block
      }
      if (named !== undefined && answer.status === 400 && codeOf(answer) === "INVALID_CURSOR") {
        const isFinal = named.number <= this.oracles.get(states[0]!.chainId)!.chain.final - 50
        this.check(url, isFinal ? `block ${named.number} was final: ${short(answer.text)}` : undefined, answer)
        return rows
      }
      if (named !== undefined && blockAt(states[0]!, named.number)?.hash !== named.hash) {
        this.check(url, `block ${named.number}, which the cursor names, was replaced: ${short(answer.text)}`, answer)
        return rows
      }
      const body = this.bodyOf(answer, url)
      if (body === undefined) return rows
      const judged = judgePage(question, place, states, body as never, this.settled)
      this.check(url, judged.difference, answer)
      const { items, link } = body as { items: ReadonlyArray<unknown>; link: { next?: string; prev?: string } }
      rows += items?.length ?? 0
      if (judged.difference !== undefined) return rows
      const back = link.prev !== undefined && judged.first !== undefined && turnsBack()
      const next = back ? link.prev : link.next
      // Where the order is not known yet, the next page cannot be judged.
      if (next === undefined || (question.learnedOrder && !this.settled) || judged.last === undefined) return rows
      place = back ? { before: judged.first } : { after: judged.last }
      if (question.namesBlocks === true) named = blockAt(states[0]!, Number((back ? judged.first : judged.last)![0]))
      url = page % 2 === 0 ? next : crossCheck(question.url, back ? "prev" : "next", next)
    }
    return rows
  }

  /** The whole list in one answer. */
  async stream(question: ListQuestion, type: StreamType): Promise<void> {
    const { url, chains, block } = question
    const answer = await this.client.fetch(url, { accept: type })
    const states = this.statesOf(answer, url, chains)
    if (states === undefined || (question.learnedOrder && !this.settled)) return
    if (answer.status !== 200) {
      // As of a block that is not there yet.
      if (answer.status === 400 && (block ?? -1) > states[0]!.head.number) return
      this.check(url, `${type}: status ${answer.status}: ${short(answer.text)}`, answer)
      return
    }
    const rows = inOrder(question, states).slice(0, url.includes("limit=") ? question.limit : undefined)
    this.check(`${url} as ${type}`, streamDifference(type, rows, answer.text, this.settled), answer)
  }

  /** The code with which a list as of a block may be refused; "none" = it may not be. */
  private refusalOf(number: number, block: SoakBlock | undefined, pinned: SoakBlock | undefined, state: State): string {
    if (pinned === undefined) return block === undefined ? "INVALID_PARAMETER" : "none"
    // A reorg that ended with the same block again is one all the same.
    const final = this.oracles.get(state.chainId)!.chain.final
    return number > final - 50 ? "INVALID_CURSOR" : "none"
  }

  async askValue(question: ValueQuestion): Promise<void> {
    const { url, chains, block } = question
    const answer = await this.client.fetch(url)
    const states = this.statesOf(answer, url, chains)
    if (states === undefined) return
    if (question.beyond !== undefined && block !== undefined && block > states[0]!.head.number) {
      const isRefused = answer.status === 400 && codeOf(answer) === question.beyond
      this.check(url, isRefused ? undefined : `block ${block} is beyond the head: got ${short(answer.text)}`, answer)
      return
    }
    const body = this.bodyOf(answer, url, question.status)
    if (body === undefined) return
    if (block !== undefined && block > states[0]!.head.number) {
      const { status, message, result } = body as Record<string, unknown>
      const isRefused = status === "0" && message === "NOTOK" && `${result}`.startsWith("Error! Invalid block number")
      this.check(url, isRefused ? undefined : `block ${block} is beyond the head: got ${short(body)}`, answer)
      return
    }
    this.check(url, differenceOf(question.answer(states, body), body, this.settled), answer)
  }

  async askMoment({ url, chains, refusals, judge }: MomentQuestion): Promise<void> {
    const answer = await this.client.fetch(url)
    const states = this.statesOf(answer, url, answer.status === 200 ? chains : [])
    if (states === undefined) return
    const [chainId = ""] = chains
    const { final } = this.oracles.get(chainId)!.chain
    if (answer.status !== 200) {
      // Some refusals name no block: any that stands may be meant.
      const [hash] = [...pairsOf(answer.headers.get("x-as-of-hash")).values()]
      const state = hash === undefined ? undefined : this.stateOf(chainId, hash)
      const code = codeOf(answer)
      const isRefused = state === undefined ? code === "UNAVAILABLE" : refusals(state, final).includes(`${code}`)
      this.check(url, isRefused ? undefined : `status ${answer.status}: ${short(answer.text)}`, answer)
      return
    }
    const named = pairsOf(answer.headers.get("x-at-block")).get(chainId)
    const what =
      named === undefined ? "no block is named" : judge(states[0]!, final, Number(named), JSON.parse(answer.text))
    this.check(url, what, answer)
  }

  /** The newest block of each chain that the service answers for. */
  async heads(): Promise<ReadonlyMap<string, string>> {
    const { headers } = await this.client.fetch("/v2/network/mainnet/evm/all/erc20?limit=1")
    return pairsOf(headers.get("x-as-of-hash"))
  }

  /** The state after a block. */
  stateOf(chainId: string, hash: string): State | undefined {
    return this.oracles.get(chainId)?.find(hash)
  }

  /** A body that is judged by whoever asks. */
  async get<Body>(path: string): Promise<Body> {
    const { status, text } = await this.client.fetch(path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${short(text)}`)
    return JSON.parse(text) as Body
  }

  /** One comparison; `what`: how the answer is wrong. */
  check(url: string, what: string | undefined, answer?: Answer): void {
    this.checks++
    if (what === undefined) return
    const difference = { url, block: answer?.headers.get("x-as-of-block") ?? "?", what }
    this.differences.push(difference)
    this.tell(difference)
  }

  private bodyOf(answer: Answer, url: string, wanted = 200): unknown {
    if (answer.status === wanted) return JSON.parse(answer.text)
    this.check(url, `status ${answer.status}: ${short(answer.text)}`, answer)
    return undefined
  }

  /** The states that the answer speaks of; undefined where it speaks of a block that no node ever had. */
  private statesOf(answer: Answer, url: string, chains: ReadonlyArray<string>): ReadonlyArray<State> | undefined {
    const { headers } = answer
    const [numbers, times, finality] = ["x-as-of-block", "x-as-of-time", "x-finality"].map((name) =>
      pairsOf(headers.get(name)),
    )
    const states: Array<State> = []
    for (const [chainId, hash] of pairsOf(headers.get("x-as-of-hash"))) {
      const oracle = this.oracles.get(chainId)
      const state = oracle?.find(hash)
      if (state === undefined) {
        this.check(url, `as of ${hash} of chain ${chainId}, which no node ever had`, answer)
        return undefined
      }
      const { number, time } = state.head
      if (numbers!.get(chainId) !== `${number}` || times!.get(chainId) !== dateOf(time))
        this.check(url, `as of ${hash}: wanted block ${number} of ${dateOf(time)}`, answer)
      if (finality!.get(chainId) === "finalized" && number > oracle!.chain.final)
        this.check(url, `block ${number} is said to be final: blocks are up to ${oracle!.chain.final}`, answer)
      if (chains.includes(chainId)) states.push(state)
    }
    if (chains.length > 0 && states.length === 0) {
      this.check(url, `no block is named: status ${answer.status}: ${short(answer.text)}`, answer)
      return undefined
    }
    return states
  }
}

/** The same page by the other name of its cursor, as some clients ask. */
const crossCheck = (url: string, way: "next" | "prev", link: string): string => {
  const token = new URL(link, "http://any").searchParams.get(way)
  return `${url}${url.includes("?") ? "&" : "?"}${way}Token=${token}`
}

/** Of the state's own branch; undefined = beyond its head. */
const blockAt = (state: State, number: number): SoakBlock | undefined =>
  number > state.head.number ? undefined : state.blockAt(number)

const codeOf = ({ text }: Answer): unknown => (JSON.parse(text) as { code?: unknown }).code
