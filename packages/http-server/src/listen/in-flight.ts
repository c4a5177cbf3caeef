import type { Socket } from 'node:net'

/** Bytes of unsent answers past which no further call of a connection is begun. */
export const mostUnsent = 262_144

/** The calls of one connection: a caller may send the next request before the last one is answered. */
export class Flights {
  #calls = 0
  #unsent = 0
  #waiting: (() => void)[] | undefined
  #ends: Set<() => void> | undefined

  /** Counts one more call; false, without counting it, where `most` are in flight. */
  enter(most: number): boolean {
    if (this.#calls >= most) return false
    this.#calls++
    return true
  }

  /** Whether answers of the connection wait for others. */
  get arePipelined(): boolean {
    return this.#calls > 1
  }

  /** Counts a call as answered, or as given up. */
  leave(): void {
    this.#calls--
  }

  /** Calls `begin` as soon as the connection has taken its earlier answers, but for a few. */
  whenTaken(begin: () => void): void {
    if (this.#unsent > mostUnsent) (this.#waiting ??= []).push(begin)
    else begin()
  }

  /** Counts bytes that were written and not taken yet. */
  addUnsent(bytes: number): void {
    this.#unsent += bytes
  }

  /** Counts bytes as taken, or as given up. */
  removeUnsent(bytes: number): void {
    this.#unsent -= bytes
    while (this.#unsent <= mostUnsent) {
      const begin = this.#waiting?.shift()
      if (begin === undefined) return
      begin()
    }
  }

  /**
   * Calls `end` when the connection is gone: before Node 24 an answer that waits for an earlier one does not tell. Returns a function that
   * forgets it. The first call needs none, since its answer waits for no other.
   */
  onGone(socket: Socket, end: () => void): () => void {
    if (this.#calls <= 1) return nothing
    if (this.#ends === undefined) {
      const ends = (this.#ends = new Set())
      socket.once('close', () => {
        for (const each of ends) each()
      })
    }
    const ends = this.#ends
    ends.add(end)
    return () => void ends.delete(end)
  }
}

/** The bytes of one answer that were not taken yet, or are expected. */
export class Unsent {
  readonly #flights: Flights
  #bytes = 0

  constructor(flights: Flights) {
    this.#flights = flights
  }

  set(bytes: number): void {
    const more = bytes - this.#bytes
    this.#bytes = bytes
    if (more > 0) this.#flights.addUnsent(more)
    else if (more < 0) this.#flights.removeUnsent(-more)
  }
}

const flights = new WeakMap<object, Flights>()
const nothing = (): void => {}

/** Finds the calls in flight of a connection. */
export function flightsOf(socket: object): Flights {
  let found = flights.get(socket)
  if (found === undefined) flights.set(socket, (found = new Flights()))
  return found
}

/** Counts one more call of a connection; false, without counting it, where `most` are in flight. */
export function enterFlight(socket: object, most: number): boolean {
  return flightsOf(socket).enter(most)
}

/** Counts a call as answered, or as given up. */
export function leaveFlight(socket: object): void {
  flightsOf(socket).leave()
}
