/** What every kind of traffic works with. */

import { type Address, addressOf } from "./address.ts"
import type { Transaction } from "./blocks.ts"
import type { DemoChain } from "./deploy.ts"
import type { Random } from "./random.ts"

export interface Scene {
  readonly random: Random
  readonly chain: DemoChain
  readonly people: { readonly known: Address[] }
}
/** Something that happens: some transactions, of which a few may fail. */
export type Action = (scene: Scene) => ReadonlyArray<Transaction>

export const nobody = addressOf(`0x${"0".repeat(40)}`)
export const most = 2n ** 256n - 1n

/** Who can send. */
export const sender = ({ random, chain }: Scene): Address => random.pick(chain.accounts)

/** Who can receive. */
export const anyone = ({ random, people }: Scene): Address => random.pick(people.known)

/** Some of a token, of at most so many bits; of the dollar, with its few decimals, of half as many. */
export const someOf = ({ random, chain }: Scene, token: Address, bits: number): bigint =>
  random.amount(token === chain.tokens.dollar ? bits / 2 : bits)

/** Those of the accounts who trade. */
export const traders = (accounts: ReadonlyArray<Address>): ReadonlyArray<Address> => accounts.slice(0, 4)

/** Those of the accounts who fill the pairs and the pool at the start, and stay. */
export const providers = (accounts: ReadonlyArray<Address>) => [accounts[4]!, accounts[5]!, accounts[6]!] as const
