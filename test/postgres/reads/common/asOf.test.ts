/** Where a ledger stands, as its state rows tell it. */
import { expect, test } from "bun:test"
import { asOfPoints, type StateRow } from "../../../../src/adapters/postgres/reads/common/asOf.ts"
import { ChainId, Hash } from "../../../../src/model/primitives.ts"

const [one, other] = [ChainId.make("990101"), ChainId.make("990102")]
const row: StateRow = {
  chain_id: one,
  next_block: 11,
  finalized_block: 5,
  node_head: 12,
  first_block: 0,
  revision: 3,
  learned: 1,
  appended: 1,
  head_hash: Hash.make(`0x${"ab".repeat(32)}`),
  head_time: 1_600_000_000,
}
const of = (rows: ReadonlyArray<StateRow>, chains: ReadonlyArray<ChainId> = [one]) =>
  asOfPoints(
    chains.map((chainId) => ({ chainId })),
    rows,
  )

test("a row that stays as it is gives the very same point; one that differs in anything gives its own", () => {
  const point = of([row])
  expect(of([{ ...row }])).toBe(point)
  expect(of([{ ...row }, { ...row, chain_id: other }], [other, one])[1]).toBe(point[0]!)
  const changes: ReadonlyArray<Partial<StateRow>> = [
    { next_block: 12 },
    { finalized_block: 10 },
    { node_head: 13 },
    { first_block: 1 },
    { revision: 4 },
    { learned: 2 },
    { appended: 2 },
    { revision: 4, learned: 2 },
    { head_hash: Hash.make(`0x${"cd".repeat(32)}`) },
    { head_time: 1_600_000_001 },
  ]
  for (const change of changes) {
    of([row])
    const [changed] = of([{ ...row, ...change }])
    expect(changed).not.toEqual(point[0]!)
  }
  expect(of([row])).toEqual(point)
})

test("those without a row are left out, in the order that was asked for", () => {
  const both = [{ ...row, chain_id: other }, row]
  expect(of(both, [one, other]).map(({ chainId }) => chainId)).toEqual([one, other])
  expect([of([]), of([row], [other]), of([row], [other, one]).length]).toEqual([[], [], 1])
})
