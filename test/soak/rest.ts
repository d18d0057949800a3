/** The chains rest and the service has caught up: everything is compared, to the last row and at blocks all over the chain. */
import { setTimeout as pause } from "node:timers/promises"
import { inParallel } from "../support/service.ts"
import { isHonest } from "./chain/views.ts"
import { type Asking, prefix } from "./questions/asking.ts"
import { compatQuestions } from "./questions/compatQuestions.ts"
import { contractQuestions, everyToken, listQuestions, walletQuestions } from "./questions/questions.ts"
import type { Tester } from "./tester.ts"

/** What a node did not tell again and again is asked for after ten minutes at the latest. */
const catchUpTimeoutMs = 660_000

/** Returns when what is learned in the background is there, or could have been: then what is missing is a difference. */
export const settle = async (tester: Tester, asking: Asking): Promise<void> => {
  const probe = tester.copy()
  probe.settled = true
  for (const deadline = Date.now() + catchUpTimeoutMs; Date.now() < deadline; await pause(250)) {
    probe.differences.length = 0
    for (const { chainId } of asking.chains) for (const list of everyToken(chainId)) await probe.walk(list, 1)
    if (probe.differences.length === 0) break
  }
  tester.settled = true
}

/** Holds what tokens are called once some were compared with their contracts; gives how many are called exact. */
export const auditStates = async (tester: Tester, asking: Asking): Promise<number> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(250)) {
    const exact = await judgeAudits(tester, asking)
    if (exact > 0) return exact
  }
  tester.check("/v2/status/audit", "no token is called exact, after a minute")
  return 0
}

/** No token whose contract answers what the logs say may be called anything else. */
const judgeAudits = async (tester: Tester, asking: Asking): Promise<number> => {
  let exact = 0
  let next: string | undefined = "/v2/status/audit?limit=1000"
  while (next !== undefined) {
    const { items, link }: AuditPage = await tester.get(next)
    for (const { chainId, address, state, blockNumber } of items) {
      if (state === "exact") exact++
      const block = asking.chains.find((chain) => chain.chainId === chainId)?.blocks[blockNumber ?? -1]
      const then = block && tester.stateOf(chainId, block.hash)
      const isWrong = (state === "drift" || state === "rebasing") && (then === undefined || isHonest(then, address))
      tester.check(`/v2/status/audit: ${chainId} ${address}`, isWrong ? `${state} at block ${blockNumber}` : undefined)
    }
    next = link.next
  }
  return exact
}

interface AuditPage {
  readonly items: ReadonlyArray<Record<"chainId" | "address" | "state", string> & { readonly blockNumber?: number }>
  readonly link: { readonly next?: string }
}

/** A portfolio is the sum of the rows that the service itself lists, to the last digit: nothing of the oracle is in this. */
export const sumsOfWallets = async (tester: Tester, asking: Asking): Promise<void> => {
  const people = [...new Set(asking.everyone().map(({ person }) => person()))]
  await inParallel(people, 4, async (person) => {
    const path = `${prefix}/all/address/${person}`
    const { items } = await tester.get<{ items: ReadonlyArray<{ valueUsd?: string }> }>(`${path}/tokens?limit=1000`)
    const { valueUsd, tokens } = await tester.get<{ valueUsd?: string; tokens: number }>(`${path}/portfolio`)
    const values = items.flatMap((item) => item.valueUsd ?? [])
    const sum = values.reduce((all, value) => all + unitsOf(value), 0n)
    const isSum = valueUsd === undefined ? values.length === 0 && items.length > 0 : unitsOf(valueUsd) === sum
    const isWhole = tokens === items.length
    tester.check(`${path}/portfolio`, isSum && isWhole ? undefined : `${valueUsd} of ${tokens}, rows have ${sum}`)
  })
}

/** Of a decimal text, with 18 digits behind the point. */
const unitsOf = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(18, "0"))
}

/** Each question of each contract and everyone, once or so: lists to their end, actions at blocks all over the chain. */
export const sweep = async (tester: Tester, asking: Asking): Promise<void> => {
  const everyone = asking.everyone()
  const own = everyone.flatMap((one) => [...contractQuestions, ...compatQuestions].map(([, ask]) => ask(one)))
  // Of every fourth: wallets take long to fold.
  const wallets = everyone
    .filter((_, place) => place % 4 === 0)
    .flatMap((one) => walletQuestions.map(([, ask]) => ask(one)))
  const lists = Array.from({ length: 4 }, () => listQuestions.map(([, ask]) => ask(asking))).flat()
  await inParallel([...lists, ...own, ...wallets], 4, async (question) => {
    if (question.kind === "value") await tester.askValue(question)
    else if (question.kind === "moment") await tester.askMoment(question)
    else await tester.walk(question, Math.min(30, Math.ceil(2000 / question.limit)))
  })
}
