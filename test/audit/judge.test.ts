/** What a comparison comes to: properties that hold of any figures, and the states that follow one another. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { questionsOf } from "../../src/domain/audit/judging/figures.ts"
import { type AuditPoint, judge } from "../../src/domain/audit/judging/judge.ts"
import { hashOfHex, zeroAddress as zero } from "../../src/model/primitives.ts"
import type { Standard } from "../../src/model/token.ts"
import type { AuditRecord, AuditSample, LedgerFigure } from "../../src/ports/AuditStore.ts"
import { address } from "../support/chain/testChain.ts"

const token = address(0x70)
const at = (blockNumber: number): AuditPoint => ({ blockNumber, time: 1_700_000_000, firstBlock: 0 })

const sampleOf = (figures: ReadonlyArray<LedgerFigure>, more: Partial<AuditSample> = {}): AuditSample => ({
  token: { standard: "erc20", address: token, firstBlock: 0, firstLogIndex: 0, firstTxHash: hashOfHex("0x") },
  older: false,
  mixed: false,
  burnt: 0n,
  figures,
  ...more,
})
const supply = (ledger: bigint): LedgerFigure => ({ of: "supply", token, ledger, touched: -1 })
const balance = (number: number, ledger: bigint, touched = 1): LedgerFigure => ({
  of: "balance",
  token,
  holder: number === 0 ? zero : address(number),
  ledger,
  touched,
})
const owner = (tokenId: string, holder: number): LedgerFigure => ({
  of: "owner",
  token,
  tokenId,
  ledger: BigInt(address(holder)),
  touched: 1,
})
const unit = (number: number, tokenId: string, ledger: bigint): LedgerFigure => ({
  of: "unit",
  token,
  holder: address(number),
  tokenId,
  ledger,
  touched: 1,
})

const amount = fc.bigInt(0n, 2n ** 256n - 1n)
/** A supply, a zero address, and up to eight holders. */
const figures = fc
  .tuple(
    amount,
    amount,
    fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 8 }),
    fc.array(amount, { minLength: 8, maxLength: 8 }),
  )
  .map(([total, nobodys, holders, amounts]) => [
    supply(total),
    balance(0, nobodys, -1),
    ...holders.map((holder, index) => balance(holder, amounts[index]!)),
  ])
const truthOf = (all: ReadonlyArray<LedgerFigure>) => all.map(({ ledger }) => ledger)

describe("any token", () => {
  test("whose contract agrees in all that it answers is exact, unless it tells nothing of those who hold it", () =>
    fc.assert(
      fc.property(figures, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), amount, (all, silent, burnt) => {
        const answers = all.map(({ ledger }, index) => (silent[index] ? undefined : ledger))
        const compared = answers.filter((it) => it !== undefined).length
        const held = all.flatMap(({ ledger }, index) => (index > 1 && ledger > 0n ? [answers[index]] : []))
        const isTold = compared > 0 && (held.length === 0 || held.some((it) => it !== undefined))
        const { record, sentToZero } = judge(sampleOf(all, { burnt, sentByItself: 0n }), answers, at(5), true)
        expect(sentToZero).toBeUndefined()
        expect(record).toMatchObject({ state: isTold ? "exact" : "unverified", compared, blockNumber: 5 })
        expect(record.difference).toBeUndefined()
        expect(record.differed).toBeUndefined()
      }),
    ))

  test("of which one figure is off by anything is not exact, and the difference is that figure", () =>
    fc.assert(
      fc.property(figures, fc.nat(), fc.bigInt(1n, 2n ** 255n), (all, pick, off) => {
        const place = pick % all.length
        const answers = truthOf(all).map((it, index) => (index === place ? it + off : it))
        const { record, sentToZero } = judge(sampleOf(all), answers, at(5), true)
        expect(sentToZero).toBeUndefined()
        expect(record.state).toBe("drift")
        expect(record.difference).toMatchObject({ ledger: String(all[place]!.ledger), node: String(answers[place]) })
        expect(record.differed).toEqual({ from: 5, to: 5 })
        expect(record.watched[0]).toEqual({ ...all[place]!, node: answers[place]! })
      }),
    ))

  test("whose supply has what others sent to the zero address, or all that was sent there, keeps that, if its zero address has it too or nothing to say", () =>
    fc.assert(
      fc.property(
        figures,
        fc.bigInt(1n, 2n ** 200n),
        fc.bigInt(0n, 2n ** 200n),
        fc.boolean(),
        fc.constantFrom(0n, undefined, 1n),
        (all, byOthers, sentByItself, keepsAll, off) => {
          const burnt = byOthers + sentByItself
          const kept = keepsAll ? burnt : byOthers
          const answers = all.map((figure, index) => {
            if (index === 0) return figure.ledger + kept
            if (index > 1) return figure.ledger
            return off === undefined ? undefined : figure.ledger + kept + off
          })
          const sample = sampleOf(all, { burnt, sentByItself })
          const rule = keepsAll && sentByItself > 0n ? "kept" : "keptButOwn"
          const [sentToZero, state] = off === 1n ? [undefined, "drift"] : [rule, "exact"]
          expect(judge(sample, answers, at(5), true)).toMatchObject({ record: { state } })
          expect(judge(sample, answers, at(5), true).sentToZero).toBe(sentToZero as never)
          expect(judge(sample, answers, at(5), false)).toMatchObject({ record: { state: "drift" } })
          expect(judge(sample, answers, at(5), false).sentToZero).toBe(sentToZero as never)
          const { sentByItself: _, ...notLookedUp } = sample
          expect(judge(notLookedUp, answers, at(5), true).sentToZero).toBeUndefined()
          // Anything else that differs says that the supply tells of something else.
          const other = [...answers.slice(0, -1), (answers.at(-1) ?? 0n) + 7n]
          if (all.length > 2) expect(judge(sample, other, at(5), true).sentToZero).toBeUndefined()
          const part = answers.map((it, index) => (it !== undefined && index < 2 ? it + burnt + 1n : it))
          expect(judge(sample, part, at(5), true)).toMatchObject({ record: { state: "drift" } })
        },
      ),
    ))

  test("that keeps all by the ledger, and less by as much as it sent to the zero address itself, burns that", () => {
    const all = [supply(100n), balance(0, 40n), balance(1, 60n)]
    const rule = (sentByItself: bigint, nobodys: bigint | undefined, burnt = 0n) =>
      judge(sampleOf(all, { burnt, sentByItself }), [70n, nobodys, 60n], at(5), true).sentToZero
    expect([rule(30n, 10n), rule(29n, 10n), rule(30n, 11n), rule(30n, undefined)]).toEqual([
      ...(["keptButOwn", undefined, undefined, undefined] as const),
    ])
    const told = judge(sampleOf(all, { sentByItself: 30n }), [70n, 10n, 60n], at(5), false).record
    expect(told).toMatchObject({ state: "drift", reason: expect.stringContaining("the supply falls") })
    // What it sent itself is burnt by the ledger already.
    expect(rule(30n, 10n, 30n)).toBeUndefined()
  })

  test("of three holders and more whose balances are all off by one ratio, with the supply, is rebasing", () =>
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(10n ** 6n, 10n ** 30n), { minLength: 3, maxLength: 8 }),
        fc.integer({ min: 1, max: 5000 }).filter((it) => Math.abs(it - 1000) > 2),
        (amounts, permille) => {
          const scaled = (value: bigint) => (value * BigInt(permille)) / 1000n
          const all = [
            supply(amounts.reduce((a, b) => a + b)),
            balance(0, 0n),
            ...amounts.map((it, index) => balance(index + 1, it)),
          ]
          expect(judge(sampleOf(all), truthOf(all).map(scaled), at(5), true).record.state).toBe("rebasing")
        },
      ),
    ))

  test("that is older than the ledger is unverified whatever is compared; one whose age is not known where it differs", () =>
    fc.assert(
      fc.property(figures, fc.bigInt(0n, 5n), (all, off) => {
        const answers = truthOf(all).map((it) => it + off)
        const { older: _, ...unknown } = sampleOf(all)
        const state = (sample: AuditSample) =>
          judge(sample, answers, { ...at(900), firstBlock: 700 }, true).record.state
        expect(state(sampleOf(all, { older: true }))).toBe("unverified")
        // A supply that is wholly of the ledger's time tells that nothing was before.
        expect(state(unknown)).toBe(off === 0n && all[0]!.ledger > 0n ? "exact" : "unverified")
      }),
    ))
})

describe("a token that may be older than the ledger", () => {
  const { older: _, ...unknown } = sampleOf([])
  const look = (standard: Standard, figures: ReadonlyArray<LedgerFigure>, answers: ReadonlyArray<bigint | undefined>) =>
    judge(
      { ...unknown, token: { ...unknown.token, standard }, figures },
      answers,
      { ...at(900), firstBlock: 700 },
      true,
    ).record
  const mayBeOlder = {
    state: "unverified",
    reason: "the ledger starts at block 700, and it is not known whether the contract is older",
  }

  test("is not exact where all is equal, without a supply that is wholly of the ledger's time", () => {
    const ids = [supply(2n), balance(1, 2n), owner("1", 1), owner("2", 1)]
    const [, held, first, second] = ids.map(({ ledger }) => ledger)
    expect(look("erc721", ids, [undefined, held, first, second])).toMatchObject(mayBeOlder)
    expect(look("erc721", ids, [3n, held, first, second])).toMatchObject(mayBeOlder)
    expect(look("erc721", ids, [2n, held, first, second]).state).toBe("exact")
    expect(look("erc1155", [unit(1, "7", 5n)], [5n])).toMatchObject(mayBeOlder)
    expect(look("erc20", [supply(5n), balance(1, 5n)], [undefined, 5n])).toMatchObject(mayBeOlder)
    // Some contracts have no supply to tell and say 0.
    expect(look("erc20", [supply(0n), balance(1, 5n)], [0n, 5n])).toMatchObject(mayBeOlder)
    expect(look("erc20", [supply(5n), balance(1, 5n)], [5n, 4n])).toMatchObject(mayBeOlder)
  })

  test("does not keep what was burnt for its supply alone: as much may have been there before", () => {
    const figures = [supply(60n), balance(0, 0n), balance(1, 60n)]
    const keeps = (nobodys: bigint | undefined, older?: boolean) =>
      judge(
        { ...unknown, figures, burnt: 40n, sentByItself: 0n, ...(older === undefined ? {} : { older }) },
        [100n, nobodys, 60n],
        { ...at(900), firstBlock: 700 },
        true,
      ).sentToZero !== undefined
    expect([keeps(40n), keeps(undefined), keeps(0n), keeps(undefined, false)]).toEqual([true, false, false, true])
  })
})

describe("a contract that tells nothing of its holders", () => {
  const reason = "the contract does not tell what any of its holders has"

  test("is unverified, though its supply and what nobody has are equal", () => {
    const all = [supply(30n), balance(0, 0n, -1), balance(1, 10n), balance(2, 20n)]
    const record = judge(sampleOf(all), [30n, 0n, undefined, undefined], at(5), true).record
    expect(record).toMatchObject({ state: "unverified", reason, compared: 2 })
    expect(judge(sampleOf(all), [31n, 0n, undefined, undefined], at(5), true).record.state).toBe("drift")
    expect(judge(sampleOf(all), [30n, 0n, 10n, undefined], at(5), true).record.state).toBe("exact")
  })

  test("is exact where nobody holds anything, and an NFT by its owners or its balances alone", () => {
    expect(judge(sampleOf([supply(0n), balance(1, 0n)]), [0n, undefined], at(5), true).record.state).toBe("exact")
    const nft = sampleOf([supply(1n), balance(1, 1n), owner("1", 1)], {
      token: { ...sampleOf([]).token, standard: "erc721" },
    })
    const states = [
      [undefined, 1n, undefined],
      [undefined, undefined, BigInt(address(1))],
      [1n, undefined, undefined],
    ].map((answers) => judge(nft, answers, at(5), true).record.state)
    expect(states).toEqual(["exact", "exact", "unverified"])
  })
})

describe("a balance below zero", () => {
  const all = [supply(10n), balance(1, 110n), balance(2, -100n)]
  const reason = `the balance of ${address(2)} is below zero by its events: they are not true`

  test("differs from all that a contract can say, and shows by itself that events are not true where it says nothing of that alone", () => {
    expect(judge(sampleOf(all), [10n, 110n, 0n], at(5), true).record).toMatchObject({
      state: "drift",
      difference: { of: "balance", holder: address(2), ledger: "-100", node: "0" },
    })
    const { record } = judge(sampleOf(all), [10n, 110n, undefined], at(5), true)
    expect(record).toMatchObject({ state: "drift", reason })
    expect([record.difference, record.differed]).toEqual([undefined, undefined])
    // A contract that says nothing at all may be gone: its figures are the ledger's, unverified.
    expect(judge(sampleOf(all), [undefined, undefined, undefined], at(5), true).record.state).toBe("unverified")
    const goods = sampleOf([unit(1, "7", 5n), unit(2, "7", -5n)], {
      token: { ...sampleOf([]).token, standard: "erc1155" },
    })
    expect(judge(goods, [5n, undefined], at(5), true).record).toMatchObject({ state: "drift", reason })
  })

  test("of a token that may be older shows nothing: what was there before may be above it", () => {
    const { older: _, ...unknown } = sampleOf(all)
    const states = [{ ...unknown, older: true }, unknown].flatMap((sample) =>
      [
        [20n, 110n, undefined],
        [undefined, undefined, undefined],
      ].map((answers) => judge(sample, answers, { ...at(900), firstBlock: 700 }, true).record.state),
    )
    expect(states).toEqual(["unverified", "unverified", "unverified", "unverified"])
  })
})

describe("one look after another", () => {
  const all = [supply(60n), balance(1, 10n, 1), balance(2, 20n, 2), balance(3, 30n, 3)]
  const look = (answers: ReadonlyArray<bigint | undefined>, block: number, last?: AuditRecord, ledger = all) =>
    judge(sampleOf(ledger, last === undefined ? {} : { last }), answers, at(block), true).record

  test("what differed and is equal again is exact, with the blocks between; for ever after", () => {
    const first = look([61n, 11n, 20n, 30n], 5)
    const second = look([62n, 12n, 20n, 30n], 6, first)
    const third = look([60n, 10n, 20n, 30n], 9, second)
    const reason = "equal again; from block 5 to 8 it differed, and its history there is not to be relied on"
    expect([first.state, second.state]).toEqual(["drift", "drift"])
    expect(third).toMatchObject({ state: "exact", reason, differed: { from: 5, to: 8 } })
    expect(look([60n, 10n, 20n, 30n], 10, third)).toMatchObject({
      state: "exact",
      reason,
      differed: { from: 5, to: 8 },
    })
    expect(look([60n, 10n, 20n, 31n], 11, third)).toMatchObject({ state: "drift", differed: { from: 5, to: 11 } })
  })

  test("what differed and is not answered any more stays drift, and is asked for again", () => {
    const first = look([60n, 11n, 20n, 30n], 5)
    const second = look([60n, undefined, 20n, 30n], 6, first)
    expect(second).toMatchObject({
      state: "drift",
      difference: { of: "balance", holder: address(1), ledger: "10", node: "11" },
      reason: "what differed at block 5 could not be asked again",
    })
    expect(look([60n, undefined, 20n, 30n], 7, second).state).toBe("drift")
    expect(look([60n, 10n, 20n, 30n], 8, second).state).toBe("exact")
  })

  test("of an id that is burnt since, nothing has to be asked again", () => {
    const ids = [owner("1", 5), owner("2", 6)]
    const nft = (figures: ReadonlyArray<LedgerFigure>, last?: AuditRecord) =>
      sampleOf(figures, {
        token: { ...sampleOf([]).token, standard: "erc721" },
        ...(last === undefined ? {} : { last }),
      })
    const first = judge(nft(ids), [BigInt(address(9)), BigInt(address(6))], at(5), true).record
    expect(first).toMatchObject({
      state: "drift",
      difference: { of: "owner", tokenId: "1", ledger: address(5), node: address(9) },
    })
    expect(judge(nft([ids[1]!], first), [BigInt(address(6))], at(6), true).record.state).toBe("exact")
  })

  test("an id that the contract says nobody owns differs, unless it knows of no owners at all", () => {
    const ids = [owner("1", 5), owner("2", 6)]
    const nft = sampleOf(ids, { token: { ...sampleOf([]).token, standard: "erc721" } })
    expect(judge(nft, [undefined, BigInt(address(6))], at(5), true).record).toMatchObject({
      state: "drift",
      difference: { of: "owner", tokenId: "1", ledger: address(5), node: zero },
    })
    expect(judge(nft, [undefined, undefined], at(5), true).record.state).toBe("unverified")
  })

  test("balances that change between two looks without an event are a rebase, if most do; one alone is not", () => {
    const first = look([60n, 10n, 20n, 30n], 5)
    expect(look([70n, 11n, 25n, 34n], 6, first).state).toBe("rebasing")
    expect(look([70n, 20n, 20n, 30n], 6, first).state).toBe("drift")
    const moved = [supply(60n), balance(1, 10n, 6), balance(2, 20n, 6), balance(3, 30n, 3)]
    expect(look([70n, 18n, 22n, 30n], 7, first, moved).state).toBe("drift")
    // A reorg gave them other amounts in the same blocks.
    const replaced = [supply(64n), balance(1, 11n, 1), balance(2, 22n, 2), balance(3, 30n, 3)]
    expect(look([64n, 11n, 22n, 30n], 6, first, replaced).state).toBe("exact")
  })

  test("a contract that says 0 to everything drifts: at once, after a look at balances, and where it rebased", () => {
    const nothing = [0n, 0n, 0n, 0n]
    const first = look([60n, 10n, 20n, 30n], 5)
    const reason = "4 of 4 figures are not the contract's own: they changed without events, or events were not true"
    expect(look(nothing, 6)).toMatchObject({ state: "drift", reason })
    expect(look(nothing, 6, first)).toMatchObject({ state: "drift", reason })
    const rebased = look([66n, 11n, 22n, 33n], 6, first)
    expect(rebased.state).toBe("rebasing")
    const replaced = look(nothing, 7, rebased)
    expect(replaced).toMatchObject({ state: "drift", reason, differed: { from: 6, to: 7 } })
    // Balances alone that are gone are no rebase either.
    expect(look([60n, 0n, 0n, 0n], 6, first).state).toBe("drift")
    expect(look([1n, 0n, 0n, 0n], 6).state).toBe("drift")
    expect(look([60n, 10n, 20n, 30n], 8, replaced).state).toBe("exact")
  })

  test("what rebases goes on to, also where all is equal for once", () => {
    const first = look([60n, 10n, 20n, 30n], 5)
    const second = look([70n, 11n, 25n, 34n], 6, first)
    expect(look([60n, 10n, 20n, 30n], 7, second)).toMatchObject({ state: "rebasing", differed: { from: 6, to: 6 } })
  })
})

test("a contract that is ERC-20 and ERC-721 is asked for owners alone as the latter", () => {
  const nft = sampleOf([supply(1n), balance(1, 1n), owner("1", 1)], {
    mixed: true,
    token: { ...sampleOf([]).token, standard: "erc721" },
  })
  expect(questionsOf(nft).map(({ of }) => of)).toEqual(["owner"])
  expect(questionsOf({ ...nft, mixed: false }).map(({ of }) => of)).toEqual(["supply", "balance", "owner"])
})
