/** What was thrown, whoever threw it: it may be anything. */

/** Its message, or itself as a text. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
