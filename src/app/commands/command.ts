/** A command beside the service: a row of data and what it does. */
import { Effect, Schema, type Scope } from "effect"
import type { ChainConfig } from "../../config/chainConfig.ts"
import type { Config } from "../../config/readConfig.ts"
import { type ChainId, chainIdOf } from "../../model/primitives.ts"
import type { CommandServices } from "../wiring.ts"

/** What was typed after the command's name. */
export interface Typed {
  /** In order, as many as the command takes. */
  readonly words: ReadonlyArray<string>
  /** By name, without the dashes: `true` of a switch, the text of an option with a value. */
  readonly options: Readonly<Record<string, string | true | undefined>>
}

/** What was asked cannot be done as it was asked: nothing was done. `message` is one sentence. Exit code 2. */
export class Misused extends Schema.TaggedError<Misused>()("Misused", { message: Schema.String }) {}

/** It was tried and did not work out. `message` says what to do. Exit code 1. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", { message: Schema.String }) {}

/** A failure's own sentence, or that of what caused it. */
export const failureText = (failure: unknown): string => {
  const { message, cause } = (failure ?? {}) as { readonly message?: string; readonly cause?: unknown }
  return message || (cause === undefined ? String(failure) : failureText(cause))
}

/** 0 = done, 1 = not well, 2 = misused, or as `failureCode` says. */
export type ExitCode = 0 | 1 | 2

export interface Command {
  readonly name: string
  /** What it takes, in order: `["<chainId>"]`; in square brackets what may be left out. */
  readonly takes: ReadonlyArray<string>
  /** By name; the placeholder of a value, or `true` of a switch. */
  readonly options: Readonly<Record<string, { readonly value: string | true; readonly meaning: string }>>
  /** One line. */
  readonly meaning: string
  /** Whether it works without a node: then chains are not read from the settings, and `config.chains` is empty. */
  readonly withoutNodes?: true
  /** Whether it may make a database, in a folder that is named; else it works on one that is there. */
  readonly makesDatabase?: true
  /** What it ends with where it failed, or the database went away under it; absent = 1. */
  readonly failureCode?: ExitCode
  /** Looks at what was typed before anything is opened, and at once. */
  check?(typed: Typed, config: Config): Effect.Effect<unknown, Misused>
  /**
   * The store is open and the nodes are wired. Prints what it has to say on standard output; the log is on standard error.
   * Interrupted by SIGTERM and SIGINT. Failures of other kinds than `Misused` end with `failureCode` and their message.
   * `onDone`: what was asked for is done. From there on it ends with 0, whatever ends it; `left` says what becomes of the rest.
   */
  run(
    typed: Typed,
    config: Config,
    onDone: (left: string) => void,
  ): Effect.Effect<ExitCode, unknown, CommandServices | Scope.Scope>
}

/** A chain id as it was typed. */
export const typedChainId = (typed: string): Effect.Effect<ChainId, Misused> => {
  const chainId = chainIdOf(typed)
  return chainId === undefined
    ? Effect.fail(new Misused({ message: `expected a chain id, a number like 43114, got ${JSON.stringify(typed)}` }))
    : Effect.succeed(chainId)
}

/** The chain of that id, where its node is configured. */
export const configuredChain = (typed: string, { chains }: Config): Effect.Effect<ChainConfig, Misused> =>
  Effect.flatMap(typedChainId(typed), (chainId) => {
    const chain = chains.find((it) => it.chainId === chainId)
    if (chain !== undefined) return Effect.succeed(chain)
    const known = chains.map((it) => it.chainId).join(", ") || "none"
    return Effect.fail(
      new Misused({ message: `chain ${chainId} is not configured (those that are: ${known}): set RPC_URL_${chainId}` }),
    )
  })
