import type { IncomingMessage } from 'node:http'

/**
 * Goes on with what was found about a request once it is known; not if its caller has left: nothing tells any more when such a request ends, and
 * what it holds would stay held. `left` is called with what was found then.
 */
export function onceAdmitted<T extends object>(
  request: IncomingMessage,
  admitted: Promise<T>,
  goOn: (admitted: T) => void,
  failed: (thrown: unknown) => void,
  left: (admitted: T) => void = () => {},
): void {
  admitted.then((late) => (request.socket.destroyed ? left(late) : goOn(late)), failed)
}
