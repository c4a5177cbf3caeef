import type { Socket } from 'node:net'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import type { Target } from './connection.ts'
import { textFrame } from './frames.ts'
import { openWebSocket } from './web-socket.ts'

/** WebSockets with a subscription to heads each. */
export interface Subscribers {
  /** Counts events for `ms`. @throws BenchError where a connection was lost */
  watch(ms: number): Promise<ReportedEvents>
  close(): void
}

export interface ReportedEvents {
  readonly events: number
  /** Ms from when the node made each head to its arrival, an event each. */
  readonly latencies: readonly number[]
}

const openAtOnce = 50
const subscribe = textFrame('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
const pushMark = Buffer.from('"eth_subscription"')
/** The node writes its clock into a head, in microseconds. */
const timeMark = Buffer.from('"extraData":"0x')

/** Opens `count` subscribers. @throws BenchError `subject` if one gets no subscription */
export async function openSubscribers(
  subject: string,
  target: Target,
  count: number,
  clock: BenchClock,
): Promise<Subscribers> {
  const sockets: Socket[] = []
  let lost: string | undefined
  let isOver = false
  let latencies: number[] = []

  async function openOne(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = await openWebSocket(target.port, target.webSocketPath, {
      text(payload) {
        if (payload.includes(pushMark)) latencies.push(clock.now() - madeAt(payload))
        else if (payload.includes('"result"')) resolve()
        else reject(new Error(payload.toString('utf8', 0, 200)))
      },
      failed(message) {
        if (!isOver) lost ??= message
        reject(new Error(message))
      },
    })
    sockets.push(socket)
    socket.write(subscribe)
    await promise
  }

  try {
    for (let i = 0; i < count; i += openAtOnce)
      await Promise.all(Array.from({ length: Math.min(openAtOnce, count - i) }, openOne))
  } catch (cause) {
    for (const socket of sockets) socket.destroy()
    throw new BenchError('subject', `${subject} gave no subscription: ${(cause as Error).message}`, { cause })
  }
  return {
    async watch(ms) {
      latencies = []
      await new Promise<void>((resolve) => clock.after(ms, resolve))
      if (lost !== undefined) throw new BenchError('wrong_answer', `${subject}: a subscriber was lost: ${lost}`)
      return { events: latencies.length, latencies }
    },
    close() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

function madeAt(payload: Buffer): number {
  const at = payload.indexOf(timeMark)
  const from = at + timeMark.length
  return Number.parseInt(payload.toString('latin1', from, payload.indexOf(0x22, from)), 16) / 1000
}
