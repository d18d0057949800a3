/** What `cowry audit` changes in a ledger: only where nobody else writes it. Names holders that the ledger lacks. */
import { Duration, Effect, Option } from "effect"
import { say } from "../../adapters/terminal/print.ts"
import type { ChainConfig } from "../../config/chainConfig.ts"
import type { LetZeroAddressHold } from "../../domain/audit/compare.ts"
import { ledgerSettingsOf } from "../../domain/ingest/state/settings.ts"
import { readGenesis } from "../../domain/ingest/verify/identity.ts"
import { type Account, isReserved } from "../../model/event.ts"
import { type Address, type ChainId, zeroAddress } from "../../model/primitives.ts"
import { AuditStore } from "../../ports/AuditStore.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import { HolderStore } from "../../ports/HolderStore.ts"
import { Ledger, type LedgerWriter, type MissingRows, SegmentRefused } from "../../ports/Ledger.ts"
import { type TokenQuestion, TokenViews } from "../../ports/TokenViews.ts"

/** A service has the writer for as long as it runs: it is not waited for. */
const lockTimeout = Duration.seconds(2)
/** Parties of missing logs that are asked for. */
const mostNamed = 500

export const makeAuditWriter = Effect.fnUntraced(function* (chain: ChainConfig) {
  const { chainId } = chain
  const ledger = yield* Ledger
  const source = (yield* ChainSource).of(chainId)
  const services = yield* Effect.context<AuditStore | HolderStore | TokenViews>()
  /** None where somebody else writes it. */
  const open = Effect.gen(function* () {
    const genesis = yield* Effect.option(readGenesis(source, yield* ledger.genesis(chainId)))
    if (Option.isNone(genesis)) return Option.none<LedgerWriter>()
    return yield* ledger.open(ledgerSettingsOf(chain, genesis.value)).pipe(
      Effect.timeoutOption(lockTimeout),
      Effect.catchTag("LedgerRefused", () => Effect.succeed(Option.none())),
    )
  })
  /** A service that writes the ledger finds those tokens by itself. */
  const letZeroAddressHold: LetZeroAddressHold = Effect.fnUntraced(function* (tokens) {
    const writer = yield* open
    if (Option.isNone(writer)) return false
    yield* writer.value.letZeroAddressHold(tokens)
    const names = tokens.map(({ address }) => address).join(", ")
    say(`chain ${chainId}: of what was sent to the zero address the ledger keeps what the contract keeps: ${names}`)
    return true
  }, Effect.scoped)
  const heal: LedgerWriter["heal"] = Effect.fnUntraced(function* (missing) {
    const lines = yield* nameHolders(chainId, missing).pipe(
      Effect.provide(services),
      Effect.catchCause(() => Effect.succeed([])),
    )
    for (const line of lines) say(`chain ${chainId}: ${line}`)
    const writer = yield* open
    if (Option.isNone(writer)) {
      return yield* new SegmentRefused({ message: "the service that writes the ledger does so at its next look" })
    }
    const rows = yield* writer.value.heal(missing)
    const tokens = [...new Set([...missing.movements, ...missing.nfts].map(({ token }) => token))].join(", ")
    if (rows > 0) say(`chain ${chainId}: ${rows} rows that a node had left out are in the ledger now: ${tokens}`)
    return rows
  }, Effect.scoped)
  return { letZeroAddressHold, heal }
})

/** Parties of the missing logs who hold nothing by the ledger and something by the contract, a line each. */
const nameHolders = Effect.fnUntraced(function* (chainId: ChainId, { movements, nfts }: MissingRows) {
  const questions = new Map<string, Exclude<TokenQuestion, { of: "supply" | "owner" }>>()
  const add = (token: Address, holder: Account, tokenId?: bigint) => {
    if (isReserved(holder) || holder === zeroAddress) return
    const of = tokenId === undefined ? { of: "balance" as const } : { of: "unit" as const, tokenId: String(tokenId) }
    questions.set(`${token} ${holder} ${tokenId ?? ""}`, { ...of, token, holder } as never)
  }
  for (const { token, debit, credit } of movements) for (const holder of [debit, credit]) add(token, holder)
  for (const { token, standard, from, to, tokenId } of nfts) {
    for (const holder of [from, to]) add(token, holder, standard === "erc1155" ? tokenId : undefined)
  }
  const holders = yield* HolderStore
  const known = yield* Effect.forEach([...questions.values()].slice(0, mostNamed), (question) =>
    Effect.map(holders.findBalance(chainId, question.token, question.holder), ({ value }) => ({ question, value })),
  )
  const lacked = known.filter(({ value }) => BigInt(value) <= 0n).map(({ question }) => question)
  const [at] = (yield* (yield* AuditStore).find(chainId, zeroAddress)).asOf
  if (at === undefined || lacked.length === 0) return []
  const answers = yield* (yield* TokenViews).ask(chainId, lacked, at)
  return lacked.flatMap((question, place) => {
    const answer = answers[place]
    if (answer === undefined || answer <= 0n) return []
    const which = question.of === "unit" ? ` of id ${question.tokenId}` : ""
    return [
      `token ${question.token}: the ledger lacks holder ${question.holder}, who has ${answer}${which} by the contract`,
    ]
  })
})
