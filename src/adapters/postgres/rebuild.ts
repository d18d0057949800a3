/** A chain built anew beside the stored one and put in its place, or removed: what the commands do to the database. */
export { carryBurnt } from "./rebuild/carry.ts"
export { claimChain, RebuildFailed } from "./rebuild/claim.ts"
export { dropChain, keepWritersOut, listChains, sizeOf } from "./rebuild/drop.ts"
export * as NextLedger from "./rebuild/NextLedger.ts"
export { forgetNext, isDescribed, standingOf } from "./rebuild/progress.ts"
export { swapIn } from "./rebuild/swap.ts"
