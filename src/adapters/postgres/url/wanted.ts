/** Why a URL is refused. */

/** What is wanted, as said behind "expected". It holds nothing of what was given but names that are known. */
export interface Wanted {
  readonly wanted: string
}
