/** Logs of every shape a token's event can have, and of many that none has, for a contract that says whatever it is told. */
import { encodeFunctionData, parseAbi } from "viem"
import type { Random } from "../../../demo/chain/random.ts"
import { nobody, signatures } from "../judge/trueLogs.ts"

const abi = parseAbi(["function say(bytes32[] topics, bytes data)"])
const most = 2n ** 256n - 1n

/** The call's data. `people`: whom the logs name, the zero address beside them. */
export const randomSaying = (random: Random, people: ReadonlyArray<string>): `0x${string}` => {
  const { topics, data } = randomLog(random, people)
  return encodeFunctionData({ abi, args: [topics, data] })
}

/** What the contract then says: topics and data of a log. */
export const randomLog = (random: Random, people: ReadonlyArray<string>) => {
  const { topics, words, cut } = logOf(random, people)
  return { topics, data: `0x${words.map(hexOf).join("").slice(0, cut)}` as const }
}

interface Saying {
  readonly topics: ReadonlyArray<`0x${string}`>
  readonly words: ReadonlyArray<bigint>
  /** Hex digits of the words that are said; absent = all. */
  readonly cut?: number
}

const logOf = (random: Random, people: ReadonlyArray<string>): Saying => {
  const person = () => BigInt(random.chance(0.25) ? nobody : random.pick(people))
  /** Now and then no address. */
  const party = () => (random.chance(0.03) ? person() + (1n << 200n) : person())
  const id = () => (random.chance(0.05) ? most : BigInt(random.below(8)))
  const amount = () => (random.chance(0.1) ? most : random.amount(40))
  const some = (count: number, make: () => bigint) => Array.from({ length: count }, make)
  const topics = (signature: string, ...values: ReadonlyArray<bigint>) =>
    [BigInt(signature), ...values]
      // One too few now and then; a log has four at most.
      .slice(0, random.chance(0.05) ? -1 : undefined)
      .map((value) => `0x${hexOf(value)}` as const)
  const kind = random.pick(["erc20", "erc721", "erc721", "single", "batch", "batch", "consecutive", "wrap"] as const)
  const cut = random.chance(0.05) ? { cut: 2 * random.below(100) } : {}
  switch (kind) {
    case "erc20":
      return {
        topics: topics(signatures.transfer, party(), party()),
        words: some(random.chance(0.9) ? 1 : 2, amount),
        ...cut,
      }
    case "erc721":
      return {
        topics: topics(signatures.transfer, party(), party(), id()),
        words: some(random.chance(0.95) ? 0 : 1, id),
      }
    case "single":
      return {
        topics: topics(signatures.single, party(), party(), party()),
        words: [id(), amount(), ...some(random.chance(0.9) ? 0 : 1, id)],
        ...cut,
      }
    case "batch":
      return { topics: topics(signatures.batch, party(), party(), party()), words: batchOf(random, id, amount), ...cut }
    case "consecutive": {
      const first = BigInt(random.below(8))
      const last = first + (random.chance(0.1) ? BigInt(random.pick([-1, 4999, 5000])) : BigInt(random.below(5)))
      // Five thousand rows a log are too many to have often.
      return {
        topics: topics(signatures.consecutive, first, party(), party()),
        words: [last === first + 4999n && random.chance(0.9) ? first + 5001n : last < 0n ? most : last],
        ...cut,
      }
    }
    default:
      return { topics: topics(random.pick([signatures.deposit, signatures.withdrawal]), party()), words: [amount()] }
  }
}

/** Ids and amounts in the usual places, or arrays that overlap, differ, or lie outside. */
const batchOf = (random: Random, id: () => bigint, amount: () => bigint): ReadonlyArray<bigint> => {
  const count = random.below(5)
  const ids = Array.from({ length: count }, id)
  const amounts = Array.from({ length: count }, amount)
  const usual = [64n, BigInt(96 + 32 * count), BigInt(count), ...ids, BigInt(count), ...amounts]
  if (random.chance(0.75)) return usual
  return random.pick([
    // Both are the same array.
    () => [64n, 64n, BigInt(count), ...ids],
    // The amounts first.
    () => [BigInt(96 + 32 * count), 64n, BigInt(count), ...amounts, BigInt(count), ...ids],
    () => [64n, BigInt(96 + 32 * count), BigInt(count), ...ids, BigInt(count + 1), ...amounts],
    () => [64n, BigInt(96 + 32 * count), BigInt(count), ...ids, BigInt(count + 1), ...amounts, 1n],
    () => [64n, BigInt(96 + 32 * count), most, ...ids, most, ...amounts],
    () => [most, 64n, 0n],
    () => [1024n, 64n, 0n],
    // An offset that is no multiple of a word, and an empty array there.
    () => [64n, 65n, 0n, 0n],
    // The offset is within the head itself: a length of 32, or none.
    () => [0n, 32n, ...usual],
    () => [...usual, 7n],
  ])()
}

const hexOf = (value: bigint): string => value.toString(16).padStart(64, "0")
