/** How deep a value is nested. A runtime reads what it can neither write nor walk through by calling itself. Pure. */

/** Whether lists and objects stand in one another more than `most` deep. */
export const isNestedDeeper = (value: unknown, most: number): boolean => {
  const nests = isNest(value) ? [value] : []
  const depths = [1]
  for (let nest = nests.pop(); nest !== undefined; nest = nests.pop()) {
    const depth = depths.pop() ?? 1
    if (depth > most) return true
    for (const own of Array.isArray(nest) ? nest : Object.values(nest)) {
      if (!isNest(own)) continue
      nests.push(own)
      depths.push(depth + 1)
    }
  }
  return false
}

const isNest = (value: unknown): value is object => typeof value === "object" && value !== null
