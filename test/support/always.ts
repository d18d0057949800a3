/** Stores that do the same whatever they are asked, by whichever of their methods: a new one needs no new stand-in. */
import type { Effect } from "effect"

/** A port whose every method gives `read`, but for those of its `own`. */
export const always = <Shape extends object>(
  read: Effect.Effect<unknown, unknown>,
  own: Partial<NoInfer<Shape>> = {},
): Shape => new Proxy(own, { get: (methods, name) => Reflect.get(methods, name) ?? (() => read) }) as Shape
