import { connect, type Socket } from 'node:net'
import { batch as printBatch, post, read } from './attack/calls.ts'
import { answerParent } from './measure/child.ts'

/* Calls in a closed loop on each of some connections. Answers are small, and come whole or nearly so. */

interface Load {
  readonly rpc: string
  readonly path: string
  readonly connections: number
  /** Calls in a batch; 0: single calls. */
  readonly batch: number
  readonly ms: number
}

let count = 0
const next = (): number => count++

async function run({ rpc, path, connections, batch, ms }: Load): Promise<object> {
  const { hostname, port } = new URL(rpc)
  const size = Math.max(1, batch)
  let calls = 0
  let failures = 0
  let running = true
  const print = (): Buffer => post(path, batch === 0 ? read({ next }) : printBatch({ next }, batch))
  const sockets: Socket[] = []
  const begun = performance.now()
  for (let i = 0; i < connections; i++) {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    sockets.push(socket)
    let text = ''
    socket.on('error', () => failures++)
    socket.on('connect', () => socket.write(print()))
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (head < 0 || text.length < head + 4 + length) return
      calls += size
      failures += size - (text.split('"result":"0x1406f40"').length - 1)
      text = ''
      if (running) socket.write(print())
    })
  }
  await new Promise((resolve) => setTimeout(resolve, ms))
  running = false
  const elapsed = performance.now() - begun
  const counted = { calls, failures, elapsed }
  // What is still on its way is waited for, so that the next round begins without it.
  await new Promise((resolve) => setTimeout(resolve, 200))
  for (const socket of sockets) socket.destroy()
  return counted
}

answerParent({ run })
