/** How fast a chain is stored, as an average over the last seconds. */

/** Rates are averages over so many milliseconds. */
const spanMs = 10_000

export interface Rates {
  /** So many logs and blocks were stored just now. */
  readonly add: (logs: number, blocks: number) => void
  readonly read: () => { readonly logsPerSecond: number; readonly blocksPerSecond: number }
}

/** `now`: steady milliseconds. */
export const makeRates = (now: () => number): Rates => {
  const startedAt = now()
  let samples: Array<{ readonly at: number; readonly logs: number; readonly blocks: number }> = []
  return {
    add: (logs, blocks) => void samples.push({ at: now(), logs, blocks }),
    read: () => {
      const at = now()
      samples = samples.filter((sample) => sample.at > at - spanMs)
      const seconds = Math.max(Math.min(at - startedAt, spanMs), 1000) / 1000
      const perSecond = (count: "logs" | "blocks") =>
        Math.round((samples.reduce((sum, sample) => sum + sample[count], 0) / seconds) * 10) / 10
      return { logsPerSecond: perSecond("logs"), blocksPerSecond: perSecond("blocks") }
    },
  }
}
