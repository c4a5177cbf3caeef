import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'
import { refusal } from './refusal.ts'

/**
 * The body of a request, read as fast as it is asked for. Leaving it does not end the connection, so that an answer can still be
 * sent. Throws a 408 where no byte comes for `stallMs`, `aborted` where the caller leaves before its end.
 */
export async function* readBody(
  request: IncomingMessage,
  clock: Clock,
  stallMs: number,
  passed: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const chunk = request.read() as Uint8Array | null
    if (chunk !== null) {
      passed(chunk.byteLength)
      yield chunk
    } else if (request.readableEnded) return
    else if (request.destroyed) throw new IpfsError('aborted', 'the caller left in the middle of its request')
    else await moved(request, clock, stallMs)
  }
}

/** Resolves when there is something new to a body. */
function moved(request: IncomingMessage, clock: Clock, stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const events = ['readable', 'end', 'close', 'error'] as const
    const settle = (how: () => void): void => {
      stop()
      for (const event of events) request.off(event, wake)
      how()
    }
    const wake = (): void => settle(resolve)
    const stop = clock.after(stallMs, () =>
      settle(() => reject(refusal(408, `no byte of the request came for ${stallMs} ms: send it again\n`))),
    )
    for (const event of events) request.on(event, wake)
  })
}

/** Reads and forgets the rest of a request for at most `ms`. Resolves when it has ended, the connection has, or time is over. */
export function readRest(request: IncomingMessage, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve()
    const end = (): void => {
      stop()
      request.off('end', end)
      request.off('close', end)
      resolve()
    }
    const stop = clock.after(ms, end)
    request.on('end', end)
    request.on('close', end)
    request.removeAllListeners('readable')
    request.resume()
  })
}
