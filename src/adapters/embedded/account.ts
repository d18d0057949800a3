/** Whom the server runs as: PostgreSQL refuses to be root, so root lends it `nobody`. */
import { readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** The account to spawn the server with; absent when we are not root and it simply runs as we do. */
export const serverAccount = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined
  try {
    const line = readFileSync("/etc/passwd", "utf8").match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m)
    // A negative id (macOS writes -2) is the same id as an unsigned number.
    if (line) return { uid: Number(line[1]) >>> 0, gid: Number(line[2]) >>> 0 }
  } catch {}
  return { uid: 65534, gid: 65534 }
}

/**
 * The first folder from `/` down to `folder` (itself included) that `account` may not enter, or undefined.
 * Asked before every spawn as another user: with a closed parent, Bun 1.4.5 spins for ever instead of failing.
 */
export const findClosedParent = (folder: string, account: Account): string | undefined => {
  const path = resolve(folder)
  const parent = dirname(path)
  const above = parent === path ? undefined : findClosedParent(parent, account)
  if (above !== undefined) return above
  const { mode, uid, gid } = statSync(path)
  const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & enter) === 0 ? path : undefined
}
