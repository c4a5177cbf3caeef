import type { Clock } from './clock.ts'
import { systemClock } from './defaults.ts'
import type { ServerSocket } from './serve-socket-options.ts'

/** Time between two looks, in ms: no socket tells when it has sent. */
const lookEveryMs = 20

/** Resolves when fewer bytes than `below` wait to be sent, or the socket is closing. */
export async function untilDrained(
  socket: Pick<ServerSocket, 'readyState' | 'bufferedAmount'>,
  below: number,
  clock: Clock = systemClock,
): Promise<void> {
  while (socket.readyState === 1 && socket.bufferedAmount >= below) {
    await new Promise<void>((resolve) => clock.after(lookEveryMs, resolve))
  }
}
