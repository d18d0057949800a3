/** In whose name something is read, and whether it may take long: where reads wait for one another, callers are served in rotation, and short ones do not wait for long ones. */
import { Context } from "effect"

/** The service itself, where nobody asked. */
export const CallerName = Context.Reference<string>("cowry/CallerName", { defaultValue: () => "" })

/** Of a request that has a costly turn. */
export const IsCostly = Context.Reference<boolean>("cowry/IsCostly", { defaultValue: () => false })
