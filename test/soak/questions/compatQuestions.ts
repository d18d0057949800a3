/** The questions of the compatibility endpoint, a row for each action. */
import { idsOf, type TrueStandard } from "../../support/judge/truth.ts"
import { sayingOf } from "../chain/scene.ts"
import { Learned } from "../compare.ts"
import type { State } from "../oracle.ts"
import { heldOf, standardsOf, tokenInfo } from "../records.ts"
import type { Asking } from "./asking.ts"
import { balanceOf, blockOf, compat, supplyAt, type ValueQuestion, windowOf } from "./values.ts"

const holdings = (state: State, standard: TrueStandard, holder: string) =>
  [...state.firsts[standard].keys()]
    .sort()
    .map((contract) => ({
      contract,
      balance: heldOf(state, standard, contract).find(([address]) => address === holder)?.[1] ?? 0n,
      said: sayingOf(contract),
    }))
    .filter(({ balance }) => balance > 0n)

export const compatQuestions: ReadonlyArray<readonly [weight: number, ask: (asking: Asking) => ValueQuestion]> = [
  [
    2,
    compat("stats", "tokensupply", (asking) => {
      const contract = asking.anyContract()
      return {
        values: { contractaddress: asking.written(contract) },
        result: (state) => `${supplyAt(state, state, contract)}`,
      }
    }),
  ],
  [
    2,
    compat("account", "tokenbalance", (asking) => {
      const [contract, holder, block] = [asking.anyContract(), asking.person(), asking.block()]
      const tags: ReadonlyArray<readonly [string | undefined, number | undefined]> = [
        [undefined, undefined],
        ["latest", undefined],
        ["pending", undefined],
        ["earliest", 0],
        [`${block}`, block],
        [`0x${block.toString(16)}`, block],
      ]
      const [tag, at] = asking.random.pick(tags)
      return {
        values: { contractaddress: contract, address: asking.written(holder), tag },
        result: (state) => `${balanceOf(state, at === undefined ? state : state.at(at), contract, holder)}`,
        ...(at === undefined ? {} : { block: at }),
      }
    }),
  ],
  [
    5,
    compat("stats", "tokensupplyhistory", (asking) => {
      const [contract, block] = [asking.anyContract(), asking.block()]
      return {
        values: { contractaddress: contract, blockno: block },
        result: (state) => `${supplyAt(state, state.at(block), contract)}`,
        block,
      }
    }),
  ],
  [
    6,
    compat("account", "tokenbalancehistory", (asking) => {
      const [contract, holder, block] = [asking.anyContract(), asking.person(), asking.block()]
      return {
        values: { contractaddress: contract, address: holder, blockno: block },
        result: (state) => `${balanceOf(state, state.at(block), contract, holder)}`,
        block,
      }
    }),
  ],
  [
    3,
    compat("token", "tokenholderlist", (asking) => {
      const contract = asking.anyContract()
      const { values, cut } = windowOf(asking, 10)
      const { blockno, past, ...at } = blockOf(asking)
      return {
        ...at,
        values: { contractaddress: contract, blockno, ...values },
        result: (state) => {
          const [standard] = standardsOf(state, contract)
          const held = standard === undefined ? [] : heldOf(past(state), standard, contract)
          return cut(held).map(([TokenHolderAddress, balance]) => ({
            TokenHolderAddress,
            TokenHolderQuantity: `${balance}`,
          }))
        },
      }
    }),
  ],
  [
    2,
    compat("token", "tokenholdercount", (asking) => {
      const contract = asking.anyContract()
      const { blockno, past, ...at } = blockOf(asking)
      return {
        ...at,
        values: { contractaddress: contract, blockno },
        result: (state) => {
          const [standard] = standardsOf(state, contract)
          return `${standard === undefined ? 0 : heldOf(past(state), standard, contract).length}`
        },
      }
    }),
  ],
  [
    2,
    compat("token", "tokeninfo", (asking) => {
      const contract = asking.anyContract()
      return {
        values: { contractaddress: contract },
        result: (state) => standardsOf(state, contract).map((standard) => tokenInfo(state, standard, contract)),
      }
    }),
  ],
  [
    3,
    compat("account", "addresstokenbalance", (asking) => {
      const holder = asking.person()
      const { values, cut } = windowOf(asking, 100)
      const { blockno, past, ...at } = blockOf(asking)
      return {
        ...at,
        values: { address: asking.written(holder), blockno, ...values },
        result: (state) =>
          cut(holdings(past(state), "erc20", holder)).map(({ contract, balance, said }) => ({
            TokenAddress: contract,
            TokenName: new Learned(said.name, ""),
            TokenSymbol: new Learned(said.symbol, ""),
            TokenQuantity: `${balance}`,
            TokenDivisor: new Learned(`${said.decimals ?? 0}`, "0"),
          })),
      }
    }),
  ],
  [
    3,
    compat("account", "addresstokennftbalance", (asking) => {
      const holder = asking.person()
      const { values, cut } = windowOf(asking, 100)
      const { blockno, past, ...at } = blockOf(asking)
      return {
        ...at,
        values: { address: holder, blockno, ...values },
        result: (state) =>
          cut(holdings(past(state), "erc721", holder)).map(({ contract, balance, said }) => ({
            TokenAddress: contract,
            TokenQuantity: `${balance}`,
            TokenName: new Learned(said.name, ""),
            TokenSymbol: new Learned(said.symbol, ""),
          })),
      }
    }),
  ],
  [
    3,
    compat("account", "addresstokennftinventory", (asking) => {
      const [contract, holder] = [asking.contract("erc721"), asking.person()]
      const { values, cut } = windowOf(asking, 100)
      const { blockno, past, ...at } = blockOf(asking)
      return {
        ...at,
        values: { address: holder, contractaddress: contract, blockno, ...values },
        result: (state) => {
          const owners = past(state).collections.get(contract)?.owners
          const own = idsOf(past(state), contract).filter((id) => owners?.get(id) === holder)
          return cut(own).map((id) => ({ TokenAddress: contract, TokenId: `${id}` }))
        },
      }
    }),
  ],
]
