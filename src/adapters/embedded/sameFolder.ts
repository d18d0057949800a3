/** Which folder a path leads to, however it is written: no two have the same, not even one and its copy or snapshot. */
import { statSync } from "node:fs"

/** Opaque; undefined where nothing is to be seen at that path. It counts on one machine, for as long as that runs. */
export const identityOf = (path: string): string | undefined => {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
