/** Loaded before the service: its wall clock is off by the milliseconds that the file CLOCK_SHIFT names holds, from one moment to the next. */
import { readFileSync } from "node:fs"

const RealDate = Date
const now = RealDate.now
const shift = (): number => Number(readFileSync(process.env.CLOCK_SHIFT!, "utf8"))
const shifted = (): number => now() + shift()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => (args.length === 0 ? new target(shifted()) : new target(...(args as [number]))),
  apply: () => new RealDate(shifted()).toString(),
  get: (target, name, receiver) => (name === "now" ? shifted : Reflect.get(target, name, receiver)),
})
