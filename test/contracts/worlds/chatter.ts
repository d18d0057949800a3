/** A chain of chatter that the read contracts are asked about. */
import { zeroAddress } from "../../../src/model/primitives.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"

export const tokens = [1, 2, 3, 4, 5, 6].map((n) => address(0x7000 + n))
export const people = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => address(0xa000 + n))

/** Forty blocks of chatter between eight people in six tokens; several blocks share a time. */
export const chatter = (seedNumber: number): TestChain => {
  let state = seedNumber
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const chain = new TestChain()
  for (const [index, token] of tokens.entries()) {
    chain.block(people.slice(0, 3 + (index % 3)).map((person) => transfer(token, zeroAddress, person, 1000n)))
  }
  for (let block = 0; block < 40; block++) {
    const events = Array.from({ length: next(5) }, () => {
      const to = next(12) === 0 ? zeroAddress : people[next(people.length)]!
      return transfer(tokens[next(tokens.length)]!, people[next(people.length)]!, to, BigInt(next(20)))
    })
    const time = chain.blocks.at(-1)!.header.time + next(3)
    chain.block(events, { time })
  }
  return chain
}
