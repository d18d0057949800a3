/** What the program says itself: a line on standard output, or on standard error. Words from outside may stand in it. */
import { printable } from "../../model/printable.ts"

export const say = (line: string): void => console.log(printable(line))

export const complain = (line: string): void => console.error(printable(line))
