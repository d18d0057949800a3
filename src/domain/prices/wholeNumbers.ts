/** Two whole numbers compared. */

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export const distance = (a: bigint, b: bigint): bigint => (a < b ? b - a : a - b)
