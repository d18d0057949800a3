/** Now and then something that no ordinary token does. */
import { encodeFunctionData, parseAbi } from "viem"
import { encode } from "../../../demo/chain/abi.ts"
import type { Transaction } from "../../../demo/chain/blocks.ts"
import type { DemoChain } from "../../../demo/chain/deploy.ts"
import { randomOf } from "../../../demo/chain/random.ts"
import { nobody } from "../judge/truth.ts"
import type { Strange } from "../nodes/anvil.ts"
import { randomSaying } from "./sayings.ts"

const abi = parseAbi([
  "function pretend(address from, address to, uint256 amount)",
  "function emitAll()",
  "function emitBoth()",
  "function mint(address to)",
])

/** The transactions of one block after another, without end. */
export function* strangeTraffic(
  seed: number,
  chain: DemoChain,
  strange: Strange,
): Generator<ReadonlyArray<Transaction>> {
  const random = randomOf(seed + 1)
  const data = <Name extends "pretend" | "emitAll" | "emitBoth" | "mint">(functionName: Name, args: unknown[] = []) =>
    encodeFunctionData({ abi, functionName, args } as never)
  const [first] = chain.accounts
  yield [strange.nameless, strange.garbled].map((to) => ({ from: first!, to, data: encode("mint", [first!, 1000n]) }))
  while (true) {
    const from = random.pick(chain.accounts)
    const to = random.pick(chain.accounts)
    const said = Array.from({ length: random.below(4) }, () => ({
      from,
      to: strange.parrot,
      data: randomSaying(random, chain.accounts.slice(0, 4)),
    }))
    yield random.pick<() => ReadonlyArray<Transaction>>([
      () => [],
      () => [],
      () => said,
      () => said,
      () => [{ from, to: strange.nameless, data: encode("mint", [to, random.amount(100)]) }],
      () => [
        { from, to: strange.garbled, data: encode("mint", [nobodyOr(random.chance(0.3), to), random.amount(100)]) },
      ],
      () => [{ from, to: strange.lying, data: data("pretend", [from, to, random.amount(200)]) }],
      () => [
        { from, to: strange.malformed, data: data("emitAll") },
        { from, to: strange.bank, data: data("emitBoth") },
      ],
      () => [
        { from, to: strange.collectible, data: data("mint", [to]) },
        { from, to: strange.items, data: encode("mint", [to, 3n]) },
      ],
    ])()
  }
}

const nobodyOr = (isNobody: boolean, address: string) => (isNobody ? nobody : address) as `0x${string}`
