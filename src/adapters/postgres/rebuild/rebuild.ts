/** A chain built anew beside the stored one and put in its place, or removed: what the commands do to the database. */
export { type Addition, findAddition, type Head, holdStored, letStoredGo, mergeAdded } from "./addTokens.ts"
export { carryAudits } from "./carryAudits.ts"
export { carryZeroAddressHolders } from "./carryOver.ts"
export { claimChain, keepClaim, RebuildFailed } from "./claim.ts"
export { dropChain, keepWritersOut, listChains, sizeOf } from "./drop.ts"
export * as NextLedger from "./NextLedger.ts"
export { forgetNext, isDescribed, progressOf } from "./progress.ts"
export { finishEarlier, swapIn } from "./replace.ts"
