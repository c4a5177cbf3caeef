// The attacked process: a gateway whose patience is short. It answers each message of its parent with what it holds, or waits for.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { queryObjects } from 'node:v8'
import { createLog, startGateway } from '@wayleave/gateway'

/** What the process holds once all garbage is collected. */
export interface Holdings {
  /** Objects that still live, of those that each connection and each request makes. */
  readonly objects: Readonly<Record<'sockets' | 'requests' | 'answers' | 'timers', number>>
  /** What keeps the event loop busy, by its kind. */
  readonly resources: Readonly<Record<string, number>>
  /** Bytes that V8 counts: objects and texts, and what buffers hold outside of its heap. */
  readonly bytes: Readonly<Record<'heapUsed' | 'arrayBuffers' | 'external', number>>
}

const [http, ws, key] = process.argv.slice(2) as [string, string, string]
const { rpc, admin, close } = await startGateway(
  {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    // What the upstreams hold is counted, so the gateway asks them nothing by itself.
    networks: { net: { kind: 'evm', chainId: 1, upstreams: [{ url: http, ws }], followHeads: false } },
    projects: [{ name: 'hostile', keys: [{ key }] }],
    limits: {
      readTimeoutMs: 1_200,
      requestTimeoutMs: 2_000,
      webSocketPingMs: 400,
      webSocketIdleMs: 1_200,
      maxHeldBytes: 1_000_000_000,
    },
  },
  { log: createLog({ level: 'silent' }) },
)

const timer = setTimeout(() => {}, 0)
const Timeout = timer.constructor
clearTimeout(timer)

const count = { format: 'count' } as const

function resources(): Holdings['resources'] {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function holdings(): Holdings {
  // Weak references and finalizers need a second one.
  for (let i = 0; i < 3; i++) void globalThis.gc!({ type: 'major', execution: 'sync' })
  const { heapUsed, arrayBuffers, external } = process.memoryUsage()
  return {
    objects: {
      sockets: queryObjects(Socket, count),
      requests: queryObjects(IncomingMessage, count),
      answers: queryObjects(ServerResponse, count),
      timers: queryObjects(Timeout, count),
    },
    resources: resources(),
    bytes: { heapUsed, arrayBuffers, external },
  }
}

process.on('message', (asked) => void process.send!(asked === 'resources' ? resources() : holdings()))
process.on('disconnect', () => void close(0))
process.send!({ rpc, admin })
