// `pnpm --filter @wayleave/conformance idle-sockets [COUNT]` measures the memory of an idle WebSocket in the gateway's process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { steady } from './steady.ts'

const key = '1d1e5a7f1d1e5a7f1d1e5a7f1d1e5a7f'
/** An upstream where nothing listens, and which is never asked. */
const upstream = 'http://127.0.0.1:9'

interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
}

export interface IdleSockets {
  readonly count: number
  /** The kB that the process grew by for each connection. */
  readonly kbPerSocket: number
  /** The part of that growth that V8 reports. */
  readonly heapKbPerSocket: number
}

/** Opens `count` WebSockets to a gateway in a process of its own, and measures by how much it grew. */
export async function measureIdleSockets(count: number): Promise<IdleSockets> {
  const gateway = fileURLToPath(new URL('idle-gateway.ts', import.meta.url))
  const execArgv = ['--expose-gc', '--conditions=@wayleave/source', ...steady.flags]
  const child = fork(gateway, [upstream, key], { execArgv, env: { ...process.env, ...steady.env } })
  try {
    const [{ ws }] = (await once(child, 'message')) as [{ ws: string }]

    async function settled(): Promise<Memory> {
      let last: Memory | undefined
      // If the allocator never settles, the last measurement counts.
      for (let i = 0; ; i++) {
        child.send('measure')
        const [memory] = (await once(child, 'message')) as [Memory]
        if (last !== undefined && (i === 20 || Math.abs(memory.rss - last.rss) < 262_144)) return memory
        last = memory
        await sleep(250)
      }
    }

    // Code is compiled and buffers are allocated before the measurement starts.
    const warm = await openAll(ws, Math.min(count, 200))
    const before = await settled()
    const sockets = await openAll(ws, count)
    const after = await settled()
    for (const socket of [...warm, ...sockets]) socket.destroy()
    return {
      count,
      kbPerSocket: (after.rss - before.rss) / count / 1_000,
      heapKbPerSocket: (after.heapUsed + after.external - before.heapUsed - before.external) / count / 1_000,
    }
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

async function openAll(url: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const some = Math.min(100, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: some }, () => open(url)))))
  }
  return sockets
}

/** A minimal client, which sends the upgrade and answers each ping. */
async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const lines = [
    `GET /ws/v3/${key} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 '))
    throw new Error(`no upgrade: ${answer.toString('latin1')}`)
  // A pong without payload, masked with zeros.
  socket.on('data', (bytes: Buffer) => void (bytes[0] === 0x89 && socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))))
  return socket
}

if (import.meta.main) {
  const { count, kbPerSocket, heapKbPerSocket } = await measureIdleSockets(Number(process.argv[2] ?? 10_000))
  console.log(
    `${count} idle WebSockets: ${kbPerSocket.toFixed(1)} kB each, ${heapKbPerSocket.toFixed(1)} kB of it in V8`,
  )
}
