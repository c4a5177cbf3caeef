import { connect, type Socket } from 'node:net'
import type { Attack, AttackContext } from '../family.ts'

export interface HoldOptions {
  /** How many connections are open at a time. */
  readonly count: number
  /** How many are opened a second, at most. Default 500. */
  readonly perSecond?: number
  /** Whether what comes is read. Default true. */
  readonly reads?: boolean
  /** Default: that of JSON-RPC. */
  readonly url?: string
  /** Sends. */
  readonly onOpen: (socket: Socket) => void
  /** Called each second with the connections that are open. */
  readonly onSecond?: (sockets: ReadonlySet<Socket>) => void
}

const ticksPerSecond = 20

/** Keeps connections open, and replaces those that the gateway closes. Counts the statuses of answers. */
export function holdConnections(context: AttackContext, options: HoldOptions): Attack {
  const { count, perSecond = 500, reads = true, url = context.rpc, onOpen, onSecond } = options
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const openOne = (): void => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    sockets.add(socket)
    if (!reads) socket.pause()
    socket.on('error', ({ code }: NodeJS.ErrnoException) => context.tally(code ?? 'error'))
    socket.once('connect', () => {
      context.tally('opened')
      onOpen(socket)
    })
    if (reads) {
      socket.on('data', (bytes: Buffer) => {
        if (bytes.toString('latin1', 0, 7) === 'HTTP/1.') context.tally(bytes.toString('latin1', 9, 12))
      })
    }
    socket.once('close', () => {
      sockets.delete(socket)
      context.tally('closed')
    })
  }
  const opener = setInterval(() => {
    const missing = Math.min(count - sockets.size, Math.ceil(perSecond / ticksPerSecond))
    for (let i = 0; i < missing; i++) openOne()
  }, 1000 / ticksPerSecond)
  const eachSecond = setInterval(() => onSecond?.(sockets), 1000)
  return {
    stop() {
      clearInterval(opener)
      clearInterval(eachSecond)
      for (const socket of sockets) socket.destroy()
    },
  }
}
