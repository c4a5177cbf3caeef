/**
 * A typed place on a request, or on the meta of an answer, for the package that defines it. Copies by spread keep it; nothing else
 * of this package reads it, and no transport sends it.
 */
export interface Extension<T> {
  /** Reads the value that `holder` carries, if any. */
  of(holder: object | undefined): T | undefined
  /** Copies `holder` with the value. */
  on<H extends object>(holder: H, value: T): H
}

/** Defines an {@link Extension}. `name` shows in a debugger; two extensions of one name stay apart. */
export function defineExtension<T>(name: string): Extension<T> {
  const key = Symbol(name)
  return {
    of: (holder) => (holder as { readonly [key]?: T } | undefined)?.[key],
    on: (holder, value) => ({ ...holder, [key]: value }),
  }
}
