/**
 * A typed member of a request, or of the meta of an answer, that only the package that defines it can read. Copies by spread
 * keep it, and no transport sends it.
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
    on(holder, value) {
      // Far cheaper than a computed member of the literal.
      const copy: typeof holder & { [key]?: T } = { ...holder }
      copy[key] = value
      return copy
    },
  }
}
