/** The ApprovalStore port's contract: what was allowed last and not taken back, page by page, through appends and rollbacks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { type ApprovalKey, approvalKinds } from "../../../src/model/approval.ts"
import type { PageRequest } from "../../../src/model/page.ts"
import { type Address, type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { ApprovalStore } from "../../../src/ports/ApprovalStore.ts"
import {
  address,
  approval,
  idApproval,
  nftTransfer,
  operatorApproval,
  TestChain,
  type TestEvent,
} from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../store.ts"

const contracts = [address(0x70), address(0x71), address(0x72)]
const people = [address(0xa), address(0xb), address(0xc)]
const most = 2n ** 256n - 1n

/** One line a row: what holds of `owner`, by all events of a chain in their order, as plainly as can be. */
const truthOf = (chain: TestChain, owner: Address): ReadonlyArray<string> => {
  const said = new Map<string, { readonly order: ReadonlyArray<string | number | bigint>; readonly line: string }>()
  for (const { approvals, nfts } of chain.blocks) {
    const rows = [...approvals, ...nfts].sort((a, b) => a.logIndex - b.logIndex)
    for (const row of rows) {
      if ("standard" in row) {
        if (row.standard === "erc721")
          for (const person of people) said.delete(`${row.token} 1 ${row.tokenId} of ${person}`)
        continue
      }
      const kind = approvalKinds.indexOf(row.of)
      const key = `${row.token} ${kind} ${row.tokenId}${row.of === "tokenId" ? ` of ${row.owner}` : ` ${row.owner} ${row.spender}`}`
      said.delete(key)
      const isYes = row.of === "tokenId" ? row.spender !== zeroAddress : row.amount > 0n
      if (!isYes || row.owner !== owner) continue
      const order = [row.token, kind, row.tokenId, row.of === "tokenId" ? "" : row.spender]
      const line = [
        row.token,
        row.of,
        row.tokenId,
        row.spender,
        row.amount,
        row.blockNumber,
        row.logIndex,
        row.txIndex,
        row.txHash,
        row.time,
      ].join(" ")
      said.set(key, { order, line })
    }
  }
  const compare = (a: ReadonlyArray<string | number | bigint>, b: ReadonlyArray<string | number | bigint>) => {
    const place = a.findIndex((part, at) => part !== b[at])
    return place === -1 ? 0 : a[place]! < b[place]! ? -1 : 1
  }
  return [...said.values()].sort((a, b) => compare(a.order, b.order)).map(({ line }) => line)
}

export const approvalsContract = (name: string, makeStore: MakeStore, histories: number) =>
  describe(`Approvals on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const list = (chainId: ChainId, owner: Address, page: PageRequest<ApprovalKey>, count = false) =>
      store.run(ApprovalStore.use((s) => s.list({ chainId, owner, page, count })))
    const lines = (items: Awaited<ReturnType<typeof list>>["value"]["items"]) =>
      items.map((it) =>
        [
          it.tokenAddress,
          it.kind,
          it.tokenId,
          it.spender,
          it.amount,
          it.blockNumber,
          it.logIndex,
          it.transactionIndex,
          it.txHash,
          it.time,
        ].join(" "),
      )

    /** Every row of the owner, forward and backward, so many at a time. */
    const walked = async (chainId: ChainId, owner: Address, limit: number) => {
      const forward: Array<string> = []
      const backward: Array<string> = []
      let after: ApprovalKey | undefined
      for (let more = true; more; ) {
        const { value } = await list(chainId, owner, { limit, ...(after && { after }) })
        forward.push(...lines(value.items))
        after = value.keys.at(-1)
        more = value.hasMore
      }
      let before = after
      for (let more = before !== undefined; more; ) {
        const { value } = await list(chainId, owner, { limit, before: before! })
        backward.unshift(...lines(value.items))
        before = value.keys[0]
        more = value.hasMore
      }
      expect(backward).toEqual(forward.slice(0, -1))
      return forward
    }

    test("are the last words of each, but for those taken back and ids that were moved since", async () => {
      const [coin, art, alice, bob, carol] = [contracts[0]!, contracts[1]!, ...people] as [
        Address,
        Address,
        Address,
        Address,
        Address,
      ]
      const chain = new TestChain()
        .block([
          nftTransfer(art, zeroAddress, alice, 1n),
          nftTransfer(art, zeroAddress, alice, most),
          approval(coin, alice, bob, 5n),
        ])
        .block([
          approval(coin, alice, bob, most),
          approval(coin, alice, carol, 0n),
          idApproval(art, alice, bob, 1n),
          idApproval(art, alice, bob, most),
          operatorApproval(art, alice, carol, true),
        ])
        .block([
          nftTransfer(art, alice, alice, 1n),
          idApproval(art, alice, carol, most),
          operatorApproval(art, alice, bob, true),
        ])
        .block([
          idApproval(art, alice, zeroAddress, most),
          operatorApproval(art, alice, bob, false),
          approval(coin, bob, alice, 1n),
        ])
      const chainId = freshChainId()
      const writer = await store.open({ chainId, approvals: true })
      const kinds = async () =>
        (await list(chainId, alice, { limit: 9 })).value.items.map((it) => [it.kind, it.spender, it.tokenId, it.amount])
      await store.run(writer.append(chain.segment(0, 1)))
      const always = [["amount", bob, "0", String(most)]]
      expect(await kinds()).toEqual([
        ...always,
        ["tokenId", bob, "1", "1"],
        ["tokenId", bob, String(most), "1"],
        ["operator", carol, "0", "1"],
      ])
      await store.run(writer.append(chain.segment(2, 2)))
      // A transfer to oneself ends an approval too.
      expect(await kinds()).toEqual([
        ...always,
        ["tokenId", carol, String(most), "1"],
        ["operator", bob, "0", "1"],
        ["operator", carol, "0", "1"],
      ])
      await store.run(writer.append(chain.segment(3, 3)))
      expect(await kinds()).toEqual([...always, ["operator", carol, "0", "1"]])
      await store.run(writer.rollback(1))
      expect(await kinds()).toEqual([["amount", bob, "0", "5"]])
    })

    test("of a ledger that was made without them are not kept, and it has no rows", async () => {
      const chain = new TestChain().block([approval(contracts[0]!, people[0]!, people[1]!, 5n)])
      const [without, never] = [freshChainId(), freshChainId()]
      const writer = await store.open({ chainId: without })
      await store.run(writer.append({ ...chain.segment(0), approvals: [] }))
      const { value } = await list(without, people[0]!, { limit: 9 }, true)
      expect(value).toEqual({
        items: [],
        keys: [],
        hasMore: false,
        isKept: false,
        count: { count: 0, countType: "exact" },
      })
      expect((await list(never, people[0]!, { limit: 9 })).value).toMatchObject({ items: [], isKept: true })
    })

    test("the same log twice, or one that something else has, is refused", async () => {
      const chain = new TestChain().block([
        approval(contracts[0]!, people[0]!, people[1]!, 5n),
        nftTransfer(contracts[1]!, zeroAddress, people[0]!, 1n),
      ])
      const segment = chain.segment(0)
      const [row] = segment.approvals!
      const writer = await store.open({ chainId: freshChainId(), approvals: true })
      for (const approvals of [[row!, row!], [{ ...row!, logIndex: 1 }], [{ ...row!, blockNumber: 1 }]]) {
        const refused = await store.run(writer.append({ ...segment, approvals })).then(
          () => "stored",
          (error) => String(error),
        )
        expect(refused).toContain("SegmentRefused")
      }
    })

    test("through any appends and rollbacks each owner's are those of the chain that stands, forward and backward, by pages of any size", async () => {
      for (let seed = 1; seed <= histories; seed++) {
        const random = randomOf(seed)
        const chain = new TestChain()
        const person = () => random.pick(people)
        const id = () => BigInt(random.below(3))
        const anyEvent = (): TestEvent => {
          const contract = random.pick(contracts)
          switch (random.below(4)) {
            case 0:
              return approval(contract, person(), person(), random.pick([0n, 0n, 7n, most]))
            case 1:
              return operatorApproval(contract, person(), person(), random.chance(0.6))
            case 2:
              return nftTransfer(
                contract,
                random.chance(0.3) ? zeroAddress : person(),
                random.chance(0.2) ? zeroAddress : person(),
                id(),
              )
            default:
              return idApproval(contract, person(), random.chance(0.2) ? zeroAddress : person(), id())
          }
        }
        /** Only owners approve: what others say of an id is no contract's word. */
        const owners = () => {
          const found = new Map<string, Address>()
          for (const { nfts } of chain.blocks)
            for (const { token, tokenId, to } of nfts) found.set(`${token} ${tokenId}`, to)
          return found
        }
        const isTrue = ({ token, event }: TestEvent, known: ReadonlyMap<string, Address>) =>
          event.kind !== "approval" || event.of !== "tokenId" || known.get(`${token} ${event.tokenId}`) === event.owner
        const chainId = freshChainId()
        const writer = await store.open({ chainId, approvals: true })
        for (let step = 0; step < 8; step++) {
          if (chain.nextBlock > 2 && random.chance(0.35)) {
            const from = 1 + random.below(chain.nextBlock - 1)
            chain.truncate(from)
            await store.run(writer.rollback(from))
          }
          const from = chain.nextBlock
          for (let more = 1 + random.below(3); more > 0; more--) {
            const known = owners()
            const events: Array<TestEvent> = []
            for (let left = random.below(6); left > 0; left--) {
              const event = anyEvent()
              if (!isTrue(event, known)) continue
              events.push(event)
              if (event.event.kind === "nftTransfer")
                known.set(`${event.token} ${event.event.units[0]!.tokenId}`, event.event.to)
            }
            chain.block(events, { salt: `${step}`, logIndex: random.below(3) })
          }
          await store.run(writer.append(chain.segment(from)))
          const owner = person()
          const truth = truthOf(chain, owner)
          expect(await walked(chainId, owner, 1 + random.below(4))).toEqual([...truth])
          const { value } = await list(chainId, owner, { limit: 1000 }, true)
          expect(value.count).toEqual({ count: truth.length, countType: "exact" })
        }
      }
    })
  })
