/** The endpoint table, in the order of the contract: what comes later is a new row. */
import { compat } from "./compat.ts"
import type { Endpoint } from "./endpoint.ts"
import { health, ready } from "./health.ts"
import { erc20 } from "./native/erc20.ts"
import { erc20Holders } from "./native/erc20Holders.ts"
import { erc20Transfers } from "./native/erc20Transfers.ts"

export const endpoints: ReadonlyArray<Endpoint> = [erc20, erc20Transfers, erc20Holders, ...compat, health, ready]
