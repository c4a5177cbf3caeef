import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { printBasic } from '@wayleave/auth'
import type { BenchClock } from '../defaults.ts'

/** Slow readers of one file. */
interface SlowReaders {
  /** The bytes that all have read. */
  readonly bytes: () => number
  close(): void
}

/** Opens connections that ask for `cid` and read 64 kB, a Node socket's unit, each second. */
export async function openSlowReaders(
  { url, cid, count }: { readonly url: string; readonly cid: string; readonly count: number },
  clock: BenchClock,
): Promise<SlowReaders> {
  const { hostname, port, username, password } = new URL(url)
  const authorization = printBasic(username, password)
  let bytes = 0
  let stop = (): void => {}
  const sockets: Socket[] = []
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(`POST /api/v0/cat?arg=${cid} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
    socket.on('data', (part) => {
      bytes += part.length
      socket.pause()
    })
    sockets.push(socket)
  }
  const again = (): void => {
    for (const socket of sockets) socket.resume()
    stop = clock.after(1_000, again)
  }
  stop = clock.after(1_000, again)
  return {
    bytes: () => bytes,
    close() {
      stop()
      for (const socket of sockets) socket.destroy()
    },
  }
}
