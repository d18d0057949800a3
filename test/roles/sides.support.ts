/** The two sides of a process, what follows chains and what answers, as `start` makes them; no work is begun. */
import { Layer, ManagedRuntime } from "effect"
import { databaseUrl, serviceLog } from "../../src/app/databaseUrl.ts"
import { layersOf } from "../../src/app/roles.ts"
import { readConfig } from "../../src/config/readConfig.ts"

/** By the settings of a process. A reader follows nothing: of that side nothing is made unless it is asked for. */
export const openSides = (given: Record<string, string>) => {
  const config = readConfig({ LOG_LEVEL: "error", ...given })
  if ("problems" in config) throw new Error(config.problems.join("\n"))
  const ground = databaseUrl(config, () => {}).pipe(Layer.provideMerge(serviceLog(config)))
  const sides = layersOf(config)
  const following = ManagedRuntime.make(sides.following.pipe(Layer.provideMerge(ground)))
  const answering = ManagedRuntime.make(sides.answering.pipe(Layer.provideMerge(ground)), {
    memoMap: following.memoMap,
  })
  const close = async () => {
    await answering.dispose()
    await following.dispose()
  }
  return { following, answering, close }
}
