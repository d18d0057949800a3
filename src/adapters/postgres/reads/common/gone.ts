/** A read that found its chain gone: it was dropped since. */
import type { StoreError } from "../../../../model/errors.ts"

/** undefined_table, invalid_schema_name */
export const isGone = (error: StoreError): boolean =>
  error._tag === "StoreUnavailable" &&
  ["42P01", "3F000"].includes((error.cause as { readonly code?: string })?.code ?? "")
