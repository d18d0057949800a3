/** The larger part of the program, which needs a database that answers: loaded while that one starts. */
export { makeApp } from "../adapters/http/app.ts"
export { makeSharedRateLimit } from "../adapters/http/contract/sharedRateLimit.ts"
export { serve } from "../adapters/http/server.ts"
export { showProgressAs } from "../adapters/terminal/progress.ts"
export { keepWebhooks } from "../domain/events/keepWebhooks.ts"
export { keepLedgers } from "./ledgers.ts"
export { layersOf } from "./roles.ts"
export { shareLimits } from "./sharedLimits.ts"
