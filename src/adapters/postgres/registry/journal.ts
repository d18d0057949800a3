/** Whether tables that another process made are those of this version, and what is waited for where they are not. Pure. */

/** `what`: of whose tables. `applied`: the files of their journal. `own`: those of this version. undefined = they fit. */
export const journalProblem = (
  what: string,
  applied: ReadonlyArray<string>,
  own: ReadonlyArray<string>,
): string | undefined => {
  const newer = applied.find((file) => !own.includes(file))
  if (newer !== undefined) {
    return `${what} is of a newer version: it holds migration ${newer}, which this version does not know. Run that version here too`
  }
  const lacking = own.find((file) => !applied.includes(file))
  return lacking === undefined
    ? undefined
    : `${what} is of an older version: it lacks migration ${lacking}. A process of this version that writes (ROLE both or writer) brings it up to date`
}
