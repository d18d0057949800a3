/** How far a ledger's counters are moved where it takes another's place: more than any writer of that one moves them meanwhile. */
export const leap = 1_000_000
