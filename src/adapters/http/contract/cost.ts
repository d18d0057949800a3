/** What a read costs the database, by the endpoint's row and what is asked: each cost has turns of its own. */
import { type Context, Effect, Exit } from "effect"
import type { IsCostly, Parameters } from "./parameter.ts"
import { firstValue, ofEveryEndpoint, type Query } from "./query.ts"

/** `joined`: read together with what others ask of the same kind at the moment. `stream`: for as long as a client reads. `upstream`, `node`: for as long as others take to answer, and nothing of the database. */
export type Cost = "cheap" | "joined" | "costly" | "stream" | "upstream" | "node"

/** Whether the database is read at all. */
export const isOfStore = (cost: Cost): boolean => cost !== "upstream" && cost !== "node"

/** It is, wherever the parameter is given. */
export const costlyWhenGiven: IsCostly = (query, name) => firstValue(query, name) !== undefined

/** A count without it is a counter; with it rows are counted one by one. */
export const costlyWhenCounted: IsCostly = (query, name, counted) => counted && firstValue(query, name) !== undefined

/** Rows of an answer up to which it is cheap. */
const mostCheapRows = 200
export const isManyRows = (rows: number): boolean => rows > mostCheapRows

/** Chains of one list up to which it is cheap: a statement takes a dozen locks for each. */
const mostCheapChains = 16
export const isManyChains = (chains: number): boolean => chains > mostCheapChains

/** Rows up to which a page is read together with others. */
export const mostJoinedRows = 100

/** Whether a query has these parameters alone, beside keys and how ignored ones are met: then many ask it of other contracts. */
export const hasOnly = (query: Query, names: ReadonlySet<string>): boolean =>
  query.every(({ name }) => names.has(name) || ofEveryEndpoint.has(name))

/** The cost of a read with these parameters. What is no value of theirs is refused before anything is read. */
export const costOf = (parameters: Parameters<unknown>, query: Query, counted: boolean): "cheap" | "costly" => {
  for (const name in parameters) if (parameters[name]?.isCostly?.(query, name, counted) === true) return "costly"
  return "cheap"
}

/** Mostly it is known without being run. */
export const costNow = <R>(cost: Effect.Effect<Cost, never, R>, context: Context.Context<R>): Cost =>
  Exit.isExit(cost) && Exit.isSuccess(cost) ? (cost.value as Cost) : Effect.runSyncWith(context)(cost)
