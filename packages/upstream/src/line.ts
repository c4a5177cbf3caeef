/** A place in a {@link Line}. */
export interface Place<T> {
  readonly value: T
  /** The next place; undefined for the last one. */
  readonly next: Place<T> | undefined
}

/**
 * A queue whose places can be left from the middle, in constant time. A `Set` would do, but to find its first value it steps over
 * every value that was deleted before.
 */
export interface Line<T> {
  readonly first: Place<T> | undefined
  readonly isEmpty: boolean
  push(value: T): Place<T>
  /** Takes a place out, once. */
  leave(place: Place<T>): void
}

interface Link<T> extends Place<T> {
  next: Link<T> | undefined
  before: Link<T> | undefined
}

export function createLine<T>(): Line<T> {
  let first: Link<T> | undefined
  let last: Link<T> | undefined
  return {
    get first() {
      return first
    },
    get isEmpty() {
      return first === undefined
    },
    push(value) {
      const link: Link<T> = { value, next: undefined, before: last }
      if (last === undefined) first = link
      else last.next = link
      last = link
      return link
    },
    leave(place) {
      const { next, before } = place as Link<T>
      if (before === undefined) first = next
      else before.next = next
      if (next === undefined) last = before
      else next.before = before
    },
  }
}
