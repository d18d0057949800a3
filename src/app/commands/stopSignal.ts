/** How whoever started the program says that it shall end. */
import { launcherGone } from "../launchers.ts"

/** As shells have it: 128 and the signal's number. */
export const exitCodes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 }

/** Resolves with the first SIGTERM or SIGINT; a second one ends the process at once. To be called once. */
export const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let asked = false
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(exitCodes[signal])
        asked = true
        resolve(signal)
      })
    }
    // npx dies of SIGTERM without passing it on.
    for (const script of ["start", "cowry"]) launcherGone(script).then(() => resolve("its launcher is gone"))
  })
