import type { IncomingMessage } from 'node:http'

/**
 * Goes on with what was found about a request once it is known; not if its caller has left: nothing tells any more when such a request ends, and
 * what it holds would stay held.
 */
export function onceAdmitted<T extends object>(
  request: IncomingMessage,
  admitted: Promise<T>,
  goOn: (admitted: T) => void,
  failed: (thrown: unknown) => void,
): void {
  admitted.then((late) => {
    if (!request.socket.destroyed) goOn(late)
  }, failed)
}
