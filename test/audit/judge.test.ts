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
          // Where somebody else puts it right later, it is right at every block.
          if (off !== 1n) {
            const told = judge(sample, answers, at(5), false).record
            const { record } = judge({ ...sample, last: told }, answers, at(9), true)
            expect([record.state, record.differed, record.reason]).toEqual(["exact", undefined, undefined])
            const doubted = { ...told, differed: { from: 2, to: 3 } }
            const again = judge({ ...sample, last: doubted }, answers, at(8), false).record
            expect([again.state, again.differed]).toEqual(["drift", { from: 2, to: 3 }])
            const right = judge({ ...sample, last: again }, answers, at(9), true).record
            expect([right.state, right.differed]).toEqual(["exact", { from: 2, to: 3 }])
          }
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

describe("a collection whose contract counts amounts, not ids", () => {
  const whole = 10n ** 18n
  const ids = [supply(9n), balance(1, 3n), balance(2, 1n), balance(3, 0n), owner("1", 1), owner("2", 1), owner("3", 2)]
  const held = [9n * whole + 5n, 3n * whole + 7n, whole, 40n * whole]
  const owned = [1, 1, 2].map((holder) => BigInt(address(holder)))
  const nft = (figures: ReadonlyArray<LedgerFigure>, more: Partial<AuditSample> = {}) =>
    sampleOf(figures, { token: { ...sampleOf([]).token, standard: "erc721" }, ...more })
  const look = (
    answers: ReadonlyArray<bigint | undefined>,
    block = 5,
    more: Partial<AuditSample> = {},
    figures: ReadonlyArray<LedgerFigure> = ids,
  ) => judge(nft(figures, more), answers, at(block), true).record
  const amounts = { of: "balance", holder: address(1), ledger: "3", node: String(held[1]), counts: "amounts" } as const

  test("is judged by its owners alone, and says what its contract counts", () => {
    const record = look([...held, ...owned])
    expect(record).toMatchObject({ state: "exact", compared: 3, difference: amounts })
    expect([record.differed, record.reason]).toEqual([undefined, undefined])
    expect(record.watched.map(({ of }) => of)).toEqual(["owner", "owner", "owner"])
    // Amounts that move are no rebase, and whoever gave his away has ids all the same.
    const moved = look([8n * whole, 4n * whole, 0n, 39n * whole, ...owned], 6, { last: record })
    expect([moved.state, moved.difference?.counts]).toEqual(["exact", "amounts"])
    const silent = look([undefined, ...held.slice(1), ...owned])
    expect([silent.state, silent.difference?.counts]).toEqual(["exact", "amounts"])
  })

  test("is in drift where an owner differs, and its balances are no numbers of ids then either", () => {
    const wrong = [owned[0]!, BigInt(address(9)), owned[2]!]
    const drift = look([...held, ...wrong])
    const difference = { of: "owner", tokenId: "2", ledger: address(1), node: address(9), counts: "amounts" }
    expect(drift).toMatchObject({ state: "drift", difference, differed: { from: 5, to: 5 } })
    expect(look([...held, undefined, owned[1]!, owned[2]!], 6, { last: drift }).state).toBe("drift")
    expect(look([...held, ...owned], 8, { last: drift })).toMatchObject({
      state: "exact",
      difference: amounts,
      differed: { from: 5, to: 7 },
    })
  })

  test("has three right owners before it is exact, or those of all its ids; a later look may meet fewer", () => {
    const some = (owners: number, total: bigint, last?: AuditRecord) => {
      const figures = [supply(total), ...ids.slice(1, 4), ...ids.slice(4, 4 + owners)]
      return look([...held, ...owned.slice(0, owners)], 6, last === undefined ? {} : { last }, figures)
    }
    const few = some(2, 9n)
    expect(few).toMatchObject({ state: "unverified", difference: amounts })
    expect(few.reason).toContain("too few owners")
    expect([some(3, 9n).state, some(2, 2n).state, some(1, 1n).state]).toEqual(["exact", "exact", "exact"])
    expect(some(1, 9n, few).state).toBe("unverified")
    const known = some(3, 9n)
    expect(some(2, 9n, known).state).toBe("exact")
    // Of which ids none was met, it is known what its contract counts.
    expect(some(0, 9n, known)).toMatchObject({ state: "unverified", difference: amounts, reason: few.reason })
  })

  test("stays in doubt no longer by what its balances had shown before that was known", () => {
    const rebased: AuditRecord = {
      ...{ state: "rebasing", blockNumber: 4, time: 1, compared: 6, reason: "balances change" },
      difference: { of: "supply", ledger: "9", node: "10" },
      watched: [{ ...balance(1, 3n), node: 3n * whole }],
      differed: { from: 2, to: 4 },
    }
    const found = look([...held, ...owned], 6, { last: rebased })
    expect([found.state, found.differed]).toEqual(["exact", undefined])
    const drifted = look([...held, ...owned], 6, { last: { ...rebased, state: "drift" } })
    expect([drifted.state, drifted.differed]).toEqual(["exact", undefined])
    // By an owner it was.
    const byOwner: AuditRecord = { ...rebased, watched: [...rebased.watched, { ...ids[4]!, node: 7n }] }
    expect(look([...held, ...owned], 6, { last: byOwner })).toMatchObject({
      state: "exact",
      differed: { from: 2, to: 5 },
    })
    expect(look([...held, undefined, ...owned.slice(1)], 6, { last: byOwner }).state).toBe("drift")
    // And by logs that it lacks.
    const { difference: _, ...owed } = { ...rebased, state: "drift" as const, watched: [] }
    expect(look([...held, ...owned], 6, { last: owed })).toMatchObject({ state: "drift", differed: { from: 2, to: 5 } })
  })

  test("that lacks logs is in drift by them, until they came in", () => {
    const lacks: AuditRecord = { ...look([...held, ...owned]), state: "drift", differed: { from: 2, to: 5 } }
    const found = look([...held, ...owned], 8, { last: lacks })
    expect(found).toMatchObject({ state: "drift", difference: amounts, differed: { from: 2, to: 7 } })
    expect(found.reason).toStartWith("its figures are its contract's own, its history is in doubt from block 2")
  })

  test("that may be older than the ledger is unverified, and what its contract counts is told all the same", () => {
    const { older: _, ...unknown } = nft(ids)
    for (const sample of [{ ...unknown, older: true }, unknown]) {
      const { record } = judge(sample, [...held, ...owned], { ...at(900), firstBlock: 700 }, true)
      expect(record).toMatchObject({ state: "unverified", difference: amounts })
      expect(record.reason).toContain("the ledger")
    }
  })

  test("is another thing than one of which ids are lacking, though each owner that is known be right", () => {
    const lacking = (...answers: ReadonlyArray<bigint>) => look([...answers, ...owned])
    expect(lacking(12n, 5n, 2n, 1n)).toMatchObject({ state: "drift", difference: { of: "supply" } })
    expect(lacking(12n, 5n, 2n, 1n).difference?.counts).toBeUndefined()
    // One holder's alone, and a supply alone.
    expect(lacking(9n, 3n * whole, 1n, 0n)).toMatchObject({ state: "drift", difference: { of: "balance" } })
    expect(lacking(9n, 3n * whole, 1n, 0n).difference?.counts).toBeUndefined()
    expect(lacking(9n * whole, 3n, 1n, 0n).state).toBe("drift")
    expect(lacking(0n, 0n, 0n, 0n).state).toBe("drift")
    expect(lacking(9n, 2_999_999n, 999_999n, 0n).difference?.counts).toBeUndefined()
    expect(lacking(9n, 3_000_000n, 1_000_000n, 0n).difference?.counts).toBe("amounts")
  })

  test("is another thing than a token that indexes its amounts: no id of it has an owner", () => {
    const record = look([...held, undefined, undefined, undefined])
    expect(["drift", "rebasing"]).toContain(record.state)
    expect(record.difference?.counts).toBeUndefined()
    const none = look([...held, ...[7, 8, 9].map((holder) => BigInt(address(holder)))])
    expect(none.difference?.counts).toBeUndefined()
    // An ERC-20 counts amounts by itself.
    const coin = judge(sampleOf(ids.slice(0, 4)), held, at(5), true).record
    expect(coin.difference?.counts).toBeUndefined()
  })
})
