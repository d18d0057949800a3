/** What a bench and its process of receivers say to each other. */

export type Asked =
  | { readonly what: "open"; readonly origin: string; readonly paths: ReadonlyArray<string> }
  /** What was heard before is forgotten. */
  | { readonly what: "begin" }
  | { readonly what: "end" }

export interface Heard {
  /** Of each stream and each block of which it was told rows: when the last byte of them came, milliseconds since 1970. */
  readonly heard: ReadonlyArray<readonly [block: number, at: number]>
  readonly bytes: number
  /** Connections that the service ended. */
  readonly ended: number
}

export type Told =
  | { readonly what: "opened" }
  | { readonly what: "failed"; readonly why: string }
  | ({ readonly what: "heard" } & Heard)
