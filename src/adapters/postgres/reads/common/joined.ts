/** Questions of one kind that wait together are asked together: whose turn it is, who is answered by whom, and what follows when one fails. */
import { setImmediate } from "node:timers"
import { Effect, Exit } from "effect"

/** Answers so many questions at once: as many answers, in their order. */
export type AskTogether<Question, Answer, E> = (
  questions: ReadonlyArray<Question>,
) => Effect.Effect<ReadonlyArray<Answer>, E>

export interface Joined<E> {
  /**
   * The answer to one question. `kind` names everything but the question that `ask` hangs on. It begins after the call,
   * so it is of then or later. Of a group that fails each is asked by itself, and fails alone. Whoever leaves costs the
   * others nothing; a group that all have left is ended. `caller`: in whose turn.
   */
  readonly ask: <Question, Answer>(
    kind: string,
    question: Question,
    ask: AskTogether<Question, Answer, E>,
    caller?: string,
  ) => Effect.Effect<Answer, E>
}

interface Limits {
  /** Groups that are asked at once, of all kinds. */
  readonly groups: number
  /** Of one group. */
  readonly members: number
}

interface Member<E> {
  readonly question: unknown
  readonly queue: Queue<E>
  readonly caller: string
  readonly answer: (exit: Exit.Exit<unknown, E>) => void
  /** Its group, once that is asked. */
  group?: Group<E>
}

/** Those of a kind that wait. `running`: groups of the kind that are being asked. */
interface Queue<E> {
  readonly kind: string
  readonly ask: AskTogether<never, unknown, E>
  readonly waiting: Set<Member<E>>
  running: number
}

interface Group<E> {
  readonly members: Set<Member<E>>
  end: () => void
}

/** What a caller waits for, by kind. */
type Waiting<E> = Map<Queue<E>, Set<Member<E>>>

/**
 * Callers take turns, and each one's kinds do: how many questions somebody has, and of how many kinds, costs nobody else more than
 * a group. In a caller's turn its own questions go first, and those of the same kind of others come along. One kind has a
 * second group only where that is full: what comes meanwhile makes the next one larger.
 */
export const makeJoined = <E>({ groups, members: most }: Limits): Joined<E> => {
  const queues = new Map<string, Queue<E>>()
  // In the order of the rotation: who was served goes to its end.
  const callers = new Map<string, Waiting<E>>()
  let running = 0
  let isDue = false

  const mayBegin = ({ waiting, running: own }: Queue<E>): boolean =>
    own === 0 ? waiting.size > 0 : own < groups && waiting.size >= most

  const nextTurn = (): readonly [Queue<E>, Iterable<Member<E>>] | undefined => {
    for (const [caller, waiting] of callers) {
      const next = waiting.entries().find(([queue]) => mayBegin(queue))
      if (next === undefined) continue
      const [queue, own] = next
      callers.delete(caller)
      callers.set(caller, waiting)
      waiting.delete(queue)
      waiting.set(queue, own)
      return next
    }
    return undefined
  }

  const begin = (): void => {
    isDue = false
    while (running < groups) {
      const next = nextTurn()
      if (next === undefined) return
      start(...next)
    }
  }

  /** All that comes in the same turn of the event loop is one group: nobody waits who is alone. */
  const beginSoon = (): void => {
    if (isDue || running >= groups) return
    isDue = true
    setImmediate(begin)
  }

  /** It waits no more. */
  const take = (member: Member<E>): void => {
    const { queue, caller } = member
    queue.waiting.delete(member)
    const waiting = callers.get(caller)
    const own = waiting?.get(queue)
    own?.delete(member)
    if (own?.size === 0) waiting?.delete(queue)
    if (waiting?.size === 0) callers.delete(caller)
  }

  const endUnused = (queue: Queue<E>): void => {
    if (queue.waiting.size === 0 && queue.running === 0 && queues.get(queue.kind) === queue) queues.delete(queue.kind)
  }

  const start = (queue: Queue<E>, own: Iterable<Member<E>>): void => {
    const members = new Set<Member<E>>()
    for (const some of [own, queue.waiting])
      for (const member of some) {
        if (members.size === most) break
        members.add(member)
      }
    for (const member of members) take(member)
    running++
    queue.running++
    const group: Group<E> = { members, end: () => {} }
    for (const member of members) member.group = group
    const all = [...members]
    const fiber = Effect.runFork(askAll(queue.ask, all))
    group.end = () => fiber.interruptUnsafe()
    fiber.addObserver((exit) => {
      running--
      queue.running--
      endUnused(queue)
      // Whoever is left without an answer failed with the whole, by a fault of this program.
      if (Exit.isFailure(exit)) for (const { answer } of members) answer(exit)
      begin()
    })
  }

  /** A group that fails is asked one by one, one after the other: it never has more than its one place. */
  const askAll = (ask: AskTogether<never, unknown, E>, all: ReadonlyArray<Member<E>>): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(ask(all.map(({ question }) => question as never))), (exit) => {
      if (Exit.isSuccess(exit)) {
        for (let index = 0; index < all.length; index++) all[index]!.answer(Exit.succeed(exit.value[index]))
        return Effect.void
      }
      const [only, ...others] = all
      if (only !== undefined && others.length === 0) {
        only.answer(exit)
        return Effect.void
      }
      return Effect.forEach(
        all.filter((member) => member.group?.members.has(member) === true),
        (member) => askAll(ask, [member]),
        { discard: true },
      )
    })

  return {
    ask: <Question, Answer>(kind: string, question: Question, ask: AskTogether<Question, Answer, E>, caller = "") =>
      Effect.callback<Answer, E>((resume) => {
        const queue = queues.get(kind) ?? { kind, ask, waiting: new Set(), running: 0 }
        queues.set(kind, queue)
        const member: Member<E> = { question, queue, caller, answer: (exit) => resume(exit as Exit.Exit<Answer, E>) }
        queue.waiting.add(member)
        const waiting: Waiting<E> = callers.get(caller) ?? new Map()
        callers.set(caller, waiting)
        waiting.set(queue, (waiting.get(queue) ?? new Set()).add(member))
        beginSoon()
        return Effect.sync(() => {
          take(member)
          endUnused(queue)
          const { group } = member
          if (group?.members.delete(member) === true && group.members.size === 0) group.end()
        })
      }),
  }
}
