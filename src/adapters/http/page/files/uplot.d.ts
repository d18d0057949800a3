/** uPlot as the page has it: a global of its script. */
import type Plot from "uplot"

declare global {
  const uPlot: typeof Plot
  type uPlot = Plot
}
