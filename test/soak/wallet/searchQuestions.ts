/** Questions of tokens by words: the beginning of a symbol, of a word of a name, or of an address. */
import type { TrueStandard } from "../../support/judge/truth.ts"
import { sayingOf, trusted } from "../chain/scene.ts"
import { standards } from "../oracle.ts"
import type { Asking } from "../questions/asking.ts"
import type { ListQuestion } from "../questions/lists.ts"
import { type Part, tokenRecord } from "../records.ts"

/** Where a text was found: trusted before others, symbols before names before their later words before addresses. */
const placeOf = (
  standard: TrueStandard,
  contract: string,
  text: string,
): readonly [run: number, text: string] | undefined => {
  const { name = "", symbol = "" } = sayingOf(contract)
  const words = name.toLowerCase().split(" ")
  const tight = (written: string) => written.toLowerCase().replace(/[^\p{L}\p{N}\p{S}]+|[$+<=>^`|~]/gu, "")
  const texts = [tight(symbol), ...[0, 1, 2, 3].map((word) => words.slice(word).join(" "))]
  const folded = text.toLowerCase()
  const found = texts.findIndex((each, at) => each.startsWith(at === 0 ? tight(folded) : folded))
  const run = standard === "erc20" && trusted.includes(contract) ? 0 : 10
  if (found !== -1) return [run + found, texts[found]!]
  return folded.length >= 8 && contract.startsWith(folded) ? [run + 5, contract] : undefined
}

export const search = (asking: Asking): ListQuestion => {
  const { random } = asking
  const standard = random.pick(standards)
  const contract = asking.contract(standard)
  const { name = "", symbol = "" } = sayingOf(contract)
  const whole = random.pick([symbol, name, name.split(" ")[1] ?? "", contract].filter((text) => text !== ""))
  const text = whole.startsWith("0x")
    ? whole.slice(0, 8 + random.below(35))
    : [...whole]
        .slice(0, 1 + random.below(whole.length))
        .join("")
        .trim()
  const onlyTrusted = standard === "erc20" && random.chance(0.3)
  const written = encodeURIComponent(random.chance(0.3) ? text.toUpperCase().replace(/^0X/u, "0x") : text)
  return {
    ...asking.list(standard, { search: written, trusted: onlyTrusted ? "true" : undefined }),
    signs: [1, 1, 1, 1],
    learnedOrder: true,
    learnedRows: true,
    rows: (states) =>
      states.flatMap((state) =>
        [...state.firsts[standard]].flatMap(([address, { block }]) => {
          const place = placeOf(standard, address, text)
          if (place === undefined || (onlyTrusted && !trusted.includes(address))) return []
          const key: ReadonlyArray<Part> = [...place, Number(state.chainId), block.number]
          return [{ item: () => tokenRecord(state, standard, address), key }]
        }),
      ),
  }
}
