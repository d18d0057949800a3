/** A key in six words: a number, as a pair's token, and the bytes of an account. One at a time, in shared memory: no object a look-up. */
import { type Account, burnAccount, isReserved } from "../../../../model/event.ts"
import { hexOf, wordAt } from "../wire/hex.ts"

/** Token and five address words. A reserved account's token is negative: its words are 0 (mint account) or end in 1 (burn account). */
export const key = new Int32Array(6)

/** Makes `key` that of a pair. */
export const setKey = (token: number, account: Account): void => {
  if (isReserved(account)) {
    key.fill(0)
    key[0] = -token
    key[5] = account === burnAccount ? 1 : 0
    return
  }
  key[0] = token
  key[1] = wordAt(account, 2)
  key[2] = wordAt(account, 10)
  key[3] = wordAt(account, 18)
  key[4] = wordAt(account, 26)
  key[5] = wordAt(account, 34)
}

/** Whether the six words at `at` are the key. */
export const isKeyAt = (words: Int32Array, at: number): boolean =>
  words[at + 5] === key[5] &&
  words[at] === key[0] &&
  words[at + 1] === key[1] &&
  words[at + 2] === key[2] &&
  words[at + 3] === key[3] &&
  words[at + 4] === key[4]

export const hashOfKey = (): number => {
  let hash = Math.imul(key[0]!, 0x9e3779b1)
  for (let word = 1; word < 6; word++) hash = Math.imul(hash ^ key[word]! ^ (hash >>> 15), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

/** The account of the key whose words start at `at`, in hex without `0x`. */
export const accountHexOf = (words: Int32Array, at: number): string => {
  if (words[at]! < 0) return words[at + 5] === 0 ? "" : "00"
  let text = ""
  for (let word = 1; word <= 5; word++) text += hexOf(words[at + word]!)
  return text
}
