/** The judge of `getLogs`: what the ledger tells of followed signatures is what a real node tells, to the byte, for any filter, through reorgs. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { encodeFunctionData, parseAbi } from "viem"
import { randomOf } from "../../demo/chain/random.ts"
import { callBatch } from "../../demo/chain/rpc.ts"
import { approvalTopics, topics as signatures } from "../../src/domain/ingest/decode/topics.ts"
import { type Stage, setStage } from "../support/chain/stage.ts"
import { testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

type Json = ReturnType<typeof JSON.parse>
interface NodeLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly logIndex: string
  readonly transactionHash: string
}

/** Filters between two reorgs. */
const filters = Number(process.env.GETLOGS_FILTERS ?? 80)
const random = randomOf(Number(process.env.FC_SEED ?? 5))

let stage: Stage
let service: Service

const say = parseAbi(["function say(bytes32[] topics, bytes data)"])
const word = (value: string | bigint | number) => `0x${BigInt(value).toString(16).padStart(64, "0")}` as const
/** Approvals of every kind, and one that is none. */
const approvals = () => {
  const [from, other] = stage.chain.accounts as unknown as [`0x${string}`, `0x${string}`]
  const said = (topics: ReadonlyArray<`0x${string}`>, data: `0x${string}`) => ({
    from,
    to: stage.strange.parrot,
    data: encodeFunctionData({ abi: say, args: [topics, data] }),
  })
  const parties = [word(from), word(other)] as const
  return [
    said([approvalTopics.approval, ...parties], word(7)),
    said([approvalTopics.approval, ...parties, word(3)], "0x"),
    said([approvalTopics.approvalForAll, ...parties], word(1)),
    said([approvalTopics.approvalForAll, ...parties], word(2)),
  ]
}

beforeAll(async () => {
  stage = await setStage(11)
  await stage.play(20)
  await stage.node.mine(approvals())
  await stage.play(2)
  service = await startService({
    ...stage.env,
    FINALITY_31337: "8",
    APPROVALS_31337: "on",
    DATABASE_URL: await testDatabase(),
  })
  await service.indexed("31337", await stage.headHash())
})
afterAll(async () => {
  await service?.stop()
  await stage?.node.stop()
})

const ask = async (query: string) => {
  const response = await fetch(`${service.url}/v2/api?chainid=31337&module=logs&action=getLogs&${query}`)
  const body = (await response.json()) as Json
  return { body, servedBy: response.headers.get("x-served-by"), asOf: response.headers.get("x-as-of-block") }
}

/** Every log of the chain in the words of `getLogs`, from the node's own logs, receipts and blocks. */
const nodeLogs = async () => {
  const logs = await stage.node.rpc<ReadonlyArray<NodeLog>>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }])
  const of = async (method: string, params: ReadonlyArray<ReadonlyArray<unknown>>) =>
    callBatch<Json>(
      stage.node.url,
      params.map((each) => ({ method, params: each as Array<unknown> })),
    )
  const hashes = [...new Set(logs.map((log) => log.transactionHash))]
  const blocks = [...new Set(logs.map((log) => log.blockNumber))]
  const receipts = await of(
    "eth_getTransactionReceipt",
    hashes.map((hash) => [hash]),
  )
  const headers = await of(
    "eth_getBlockByNumber",
    blocks.map((block) => [block, false]),
  )
  const number = (value: string) => `0x${BigInt(value).toString(16)}`
  return logs.map(({ address, topics, data, blockNumber, logIndex, transactionHash }) => {
    const receipt = receipts[hashes.indexOf(transactionHash)]
    const header = headers[blocks.indexOf(blockNumber)]
    return {
      address: address.toLowerCase(),
      topics,
      data,
      blockNumber: number(blockNumber),
      blockHash: header.hash,
      timeStamp: number(header.timestamp),
      gasPrice: number(receipt.effectiveGasPrice),
      gasUsed: number(receipt.gasUsed),
      logIndex: number(logIndex),
      transactionHash,
      transactionIndex: number(receipt.transactionIndex),
    }
  })
}

type Shown = Awaited<ReturnType<typeof nodeLogs>>[number]

const ofWrapped: ReadonlyArray<string> = [signatures.deposit, signatures.withdrawal]
const followed: ReadonlyArray<string> = [...Object.values(signatures), ...Object.values(approvalTopics)]

/** A question that some log answers, as a rule, and which of all logs do. */
const randomQuestion = (logs: ReadonlyArray<Shown>, head: number) => {
  const kinds = [...new Set(logs.map(({ topics }) => topics[0]))].filter((it) => it !== undefined)
  const signature = random.pick(kinds)
  const some = random.pick(logs.filter(({ topics }) => topics[0] === signature))
  const [address, low, high] = [random.chance(0.6) ? some.address : undefined, random.below(head), random.below(head)]
  const chosen = [1, 2, 3].filter((place) => some.topics[place] !== undefined && random.chance(0.35))
  const topics = chosen.map((place) => {
    const another = random.pick(logs).topics[place]
    return [place, random.chance(0.2) && another !== undefined ? another : some.topics[place]!] as const
  })
  const isAny = topics.length > 1 && random.chance(0.5)
  const [from, to] = random.chance(0.3) ? [Math.min(low, high), Math.max(low, high)] : [0, undefined]
  const between = topics.flatMap(([a], at) =>
    topics.slice(at + 1).map(([b]) => `topic${a}_${b}_opr=${isAny ? "or" : "and"}`),
  )
  const query = [
    `topic0=${signature}`,
    ...(address === undefined ? [] : [`address=${address}`]),
    `fromBlock=${from}`,
    `toBlock=${to ?? "latest"}`,
    ...topics.flatMap(([place, topic]) => [`topic${place}=${topic}`, `topic0_${place}_opr=and`]),
    ...between,
  ].join("&")
  const wanted = logs.filter((log) => {
    const fits = topics.map(([place, topic]) => log.topics[place] === topic)
    const block = Number(log.blockNumber)
    return (
      log.topics[0] === signature &&
      (address === undefined || log.address === address) &&
      block >= from &&
      block <= (to ?? head) &&
      (isAny ? fits.includes(true) : !fits.includes(false))
    )
  })
  const isWrapped = address === stage.chain.tokens.wrapped.toLowerCase()
  const ofLedger = followed.includes(signature) && (!ofWrapped.includes(signature) || isWrapped)
  return { query, wanted, ofLedger, isMixed: isAny }
}

const compare = async () => {
  const logs = await nodeLogs()
  const head = await stage.node.head()
  const seen = { ledger: 0, node: 0, rows: 0 }
  for (let count = 0; count < filters; count++) {
    const { query, wanted, ofLedger, isMixed } = randomQuestion(logs, head)
    // The node is not asked what the ledger can be.
    if (isMixed && !ofLedger) continue
    const offset = random.pick([1000, 1000, 1 + random.below(9)])
    const pages = Math.min(3, Math.max(1, Math.ceil(wanted.length / offset)))
    for (let page = 1; page <= pages; page++) {
      const { body, servedBy, asOf } = await ask(`${query}&page=${page}&offset=${offset}`)
      const rows = wanted.slice((page - 1) * offset, page * offset)
      expect([query, page, offset, body]).toEqual([
        query,
        page,
        offset,
        rows.length === 0
          ? { status: "0", message: "No records found", result: [] }
          : { status: "1", message: "OK", result: rows },
      ])
      expect([query, servedBy, asOf]).toEqual([query, ofLedger ? null : "node", ofLedger ? `31337:${head}` : null])
      seen[ofLedger ? "ledger" : "node"]++
      seen.rows += rows.length
    }
  }
  return seen
}

test("any filter of a followed signature gives the node's logs from the ledger, the rest the node's own", async () => {
  const logs = await nodeLogs()
  // Every signature is there, usual and odd.
  expect(followed.filter((it) => !logs.some(({ topics }) => topics[0] === it))).toEqual([])
  for (const signature of followed.filter((it) => !ofWrapped.includes(it))) {
    const { body, servedBy } = await ask(`topic0=${signature}`)
    expect([body.result, servedBy]).toEqual([logs.filter(({ topics }) => topics[0] === signature), null])
  }
  const wrapped = stage.chain.tokens.wrapped.toLowerCase()
  for (const signature of ofWrapped) {
    const { body, servedBy } = await ask(`topic0=${signature}&address=${wrapped}`)
    const wanted = logs.filter(({ address, topics }) => address === wrapped && topics[0] === signature)
    expect([body.result.length > 0, body.result, servedBy]).toEqual([true, wanted, null])
  }
  const seen = await compare()
  expect(seen.ledger).toBeGreaterThan(filters / 3)
  expect(seen.rows).toBeGreaterThan(filters)
})

test("after reorgs it is the new fork's", async () => {
  for (const depth of [2, 6]) {
    await stage.node.reorg(depth, stage.next())
    await stage.play(1)
    await service.indexed("31337", await stage.headHash())
    const { ledger } = await compare()
    expect(ledger).toBeGreaterThan(0)
  }
})

test("a block above the head is the node's to tell", async () => {
  const head = await stage.node.head()
  const query = `topic0=${signatures.transfer}&fromBlock=0`
  expect((await ask(`${query}&toBlock=${head}`)).servedBy).toBeNull()
  expect((await ask(`${query}&toBlock=${head + 1}`)).servedBy).toBe("node")
})
