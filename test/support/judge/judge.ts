/** Holds the service's answers against the truth: each function returns how many it compared and every difference it found. */
import { askNode } from "../nodes/census.ts"
import { inParallel, type Service } from "../service.ts"
import { chainPath } from "./lists.ts"
import type { Known } from "./records.ts"
import { contractsOf, type Held, holdersOf, idsOf, type TrueStandard, type Truth } from "./truth.ts"

export interface Verdict {
  readonly compared: number
  readonly differences: ReadonlyArray<string>
}

const compat = (query: string) => `${chainPath}/compat/api?${query}`

/** How many calls are under way at once. */
export const width = 24

class Comparison {
  compared = 0
  readonly differences: string[] = []
  equal(what: string, ours: unknown, truth: unknown) {
    this.compared += 1
    const [a, b] = [JSON.stringify(ours), JSON.stringify(truth)]
    if (a !== b) this.differences.push(`${what}: ${a} instead of ${b}`)
  }
}

const resultOf = async (service: Service, query: string): Promise<unknown> => {
  const { status, message, result } = await service.get<Record<string, unknown>>(compat(query))
  return status === "1" && message === "OK" ? result : `${status} ${message} ${result}`
}

/** tokenbalancehistory and tokensupplyhistory of every token and holder at every block, against the node's own answers. */
export const compareHistory = async (
  service: Service,
  nodeUrl: string,
  census: string,
  blocks: ReadonlyArray<number>,
  tokens: ReadonlyArray<string>,
  holders: ReadonlyArray<string>,
  hasSupply = true,
): Promise<Verdict> => {
  const answers = await askNode(nodeUrl, census, blocks, tokens, holders)
  const verdict = new Comparison()
  const cases = blocks.flatMap((block, at) => tokens.map((token) => ({ block, token, node: answers[at]! })))
  await inParallel(cases, width, async ({ block, token, node }) => {
    const about = `contractaddress=${token}&blockno=${block}`
    if (hasSupply) {
      const supply = await resultOf(service, `module=stats&action=tokensupplyhistory&${about}`)
      verdict.equal(`supply of ${token} at ${block}`, supply, `${node.supply(token)}`)
    }
    for (const holder of holders) {
      const query = `module=account&action=tokenbalancehistory&${about}&address=${holder}`
      const balance = await resultOf(service, query)
      verdict.equal(`${token} of ${holder} at ${block}`, balance, `${node.balance(token, holder)}`)
    }
  })
  return verdict
}

const standards = ["erc20", "erc721", "erc1155"] as const

/** Contracts with the standard that the compatibility actions answer for: the first they emit. */
const firstStandards = (truth: Truth): ReadonlyMap<string, TrueStandard> =>
  new Map(
    standards.toReversed().flatMap((standard) => contractsOf(truth, standard).map((address) => [address, standard])),
  )

const supplyOf = (truth: Truth, standard: TrueStandard, address: string): string => {
  if (standard === "erc1155") return "0"
  if (standard === "erc721") return `${idsOf(truth, address).length}`
  const { supply } = truth.tokens.get(address)!
  return `${supply > 0n ? supply : 0n}`
}

/** Supply and balances of every contract at older blocks, against the logs folded up to there. */
export const compareFold = async (service: Service, truth: Truth, blocks: ReadonlyArray<number>): Promise<Verdict> => {
  const verdict = new Comparison()
  const kinds = firstStandards(truth)
  const cases = blocks.flatMap((block) => {
    const past = truth.at(block)
    return [...kinds].map(([address, kind]) => ({ block, past, address, kind }))
  })
  await inParallel(cases, width, async ({ block, past, address, kind }) => {
    const about = `contractaddress=${address}&blockno=${block}`
    const supply = await resultOf(service, `module=stats&action=tokensupplyhistory&${about}`)
    const isBorn = contractsOf(past, kind).includes(address)
    verdict.equal(`supply of ${address} at ${block}`, supply, isBorn ? supplyOf(past, kind, address) : "0")
    const balances = new Map(holdersOf(past, kind, address))
    for (const [holder] of holdersOf(truth, kind, address)) {
      const query = `module=account&action=tokenbalancehistory&${about}&address=${holder}`
      verdict.equal(
        `${address} of ${holder} at ${block}`,
        await resultOf(service, query),
        `${balances.get(holder) ?? 0n}`,
      )
    }
  })
  return verdict
}

/** What the compatibility actions say of every contract and everyone now. */
export const compareState = async (service: Service, truth: Truth, known: Known): Promise<Verdict> => {
  const verdict = new Comparison()
  const kinds = firstStandards(truth)
  const held = new Map([...kinds].map(([address, kind]) => [address, holdersOf(truth, kind, address)]))
  await inParallel([...kinds], width, async ([address, kind]) => {
    const about = `contractaddress=${address}`
    const ask = (query: string) => resultOf(service, `${query}&${about}`)
    const holders = held.get(address)!
    verdict.equal(`supply of ${address}`, await ask("module=stats&action=tokensupply"), supplyOf(truth, kind, address))
    verdict.equal(`holder count of ${address}`, await ask("module=token&action=tokenholdercount"), `${holders.length}`)
    verdict.equal(
      `tokenholderlist of ${address}`,
      await ask("module=token&action=tokenholderlist&page=1&offset=10000"),
      holders.map(([holder, balance]) => ({ TokenHolderAddress: holder, TokenHolderQuantity: `${balance}` })),
    )
    const infos = (await ask("module=token&action=tokeninfo")) as ReadonlyArray<Record<string, string>>
    const { name = "", symbol = "" } = known.descriptions.get(address) ?? {}
    verdict.equal(
      `tokeninfo of ${address}`,
      infos.map((info) => [info.contractAddress, info.tokenType, info.tokenName, info.symbol, info.totalSupply]),
      standards
        .filter((standard) => contractsOf(truth, standard).includes(address))
        .map((it) => [address, it.toUpperCase(), name, symbol, it === "erc1155" ? "" : supplyOf(truth, it, address)]),
    )
  })
  const everyone = [...new Set([...held.values()].flatMap((holders: Held) => holders.map(([holder]) => holder)))]
  await inParallel(everyone, width, async (address) => {
    const ask = (action: string) =>
      resultOf(service, `module=account&action=${action}&address=${address}&page=1&offset=10000`)
    const heldOf = (standard: TrueStandard) =>
      contractsOf(truth, standard).flatMap((token) => {
        const balance = new Map(holdersOf(truth, standard, token)).get(address)
        return balance === undefined ? [] : [[token, balance] as const]
      })
    const textsOf = (token: string) => known.descriptions.get(token) ?? {}
    verdict.equal(
      `ERC-20 holdings of ${address}`,
      await ask("addresstokenbalance"),
      heldOf("erc20").map(([token, balance]) => ({
        TokenAddress: token,
        TokenName: textsOf(token).name ?? "",
        TokenSymbol: textsOf(token).symbol ?? "",
        TokenQuantity: `${balance}`,
        TokenDivisor: `${textsOf(token).decimals ?? 0}`,
      })),
    )
    verdict.equal(
      `ERC-721 holdings of ${address}`,
      await ask("addresstokennftbalance"),
      heldOf("erc721").map(([token, balance]) => ({
        TokenAddress: token,
        TokenQuantity: `${balance}`,
        TokenName: textsOf(token).name ?? "",
        TokenSymbol: textsOf(token).symbol ?? "",
      })),
    )
    for (const token of contractsOf(truth, "erc721")) {
      const { owners } = truth.collections.get(token)!
      verdict.equal(
        `inventory of ${address} at ${token}`,
        await ask(`addresstokennftinventory&contractaddress=${token}`),
        idsOf(truth, token)
          .filter((id) => owners.get(id) === address)
          .map((id) => ({ TokenAddress: token, TokenId: `${id}` })),
      )
    }
  })
  return verdict
}
