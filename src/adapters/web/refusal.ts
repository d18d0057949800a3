/** Why a document was refused, in words that hold no part of its URL. */
export class Refusal extends Error {}
