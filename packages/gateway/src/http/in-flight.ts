/** Calls in flight by connection: a caller may send the next request before the last one is answered. */
const calls = new WeakMap<object, number>()

/** Counts one more call of a connection; false, without counting it, where `most` are in flight. */
export function enterFlight(socket: object, most: number): boolean {
  const inFlight = (calls.get(socket) ?? 0) + 1
  if (inFlight > most) return false
  calls.set(socket, inFlight)
  return true
}

/** Counts a call as answered, or as given up. */
export function leaveFlight(socket: object): void {
  calls.set(socket, calls.get(socket)! - 1)
}
