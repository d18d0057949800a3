/** In whose name something is read: where reads wait for one another, callers are served in rotation. */
import { Context } from "effect"

/** The service itself, where nobody asked. */
export const CallerName = Context.Reference<string>("cowry/CallerName", { defaultValue: () => "" })
