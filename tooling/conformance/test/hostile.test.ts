import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { key } from './support/gateway.ts'
import { answersTo, request } from './support/hostile-connection.ts'
import { bodies, requests } from './support/hostile-http.ts'
import { patient } from './support/hostile-patience.ts'
import { handshakes, sockets } from './support/hostile-sockets.ts'
import { answer, answerSocket, type Peer, startPeer } from './support/peer.ts'

let peer: Peer
let child: ChildProcess
let origin: string

beforeAll(async () => {
  peer = await startPeer(answer('0x1'), answerSocket('0x1'))
  const gateway = fileURLToPath(new URL('support/hostile-gateway.ts', import.meta.url))
  child = fork(gateway, [peer.httpUrl, peer.wsUrl, key], { execArgv: ['--expose-gc', '--conditions=@wayleave/source'] })
  const [{ rpc }] = (await once(child, 'message')) as [{ rpc: string }]
  origin = rpc
})
afterAll(async () => {
  child.disconnect()
  await once(child, 'exit')
  await peer[Symbol.asyncDispose]()
})

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const rows = [...bodies, ...requests, ...sockets, ...handshakes]

async function memory(): Promise<{ readonly rss: number; readonly heapUsed: number }> {
  child.send('measure')
  const [measured] = (await once(child, 'message')) as [{ rss: number; heapUsed: number }]
  return measured
}

/** All rows but the slow ones, a few at a time. */
async function everything(): Promise<void> {
  const left = rows.values()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const [what, gets, attempt] of left) if ((await attempt(origin)) !== gets) throw new Error(what)
    }),
  )
}

describe.concurrent('a caller in no hurry gets', () => {
  it.each(patient.map(([what, gets, attempt]) => [gets, what, attempt] as const))(
    '%s for %s',
    async (gets, _what, attempt) => {
      expect(await attempt(origin)).toBe(gets)
      expect(await answersTo(origin, request(call))).toBe('200 result')
    },
  )
})

describe('a caller gets', () => {
  it.each(rows.map(([what, gets, attempt]) => [gets, what, attempt] as const))(
    '%s for %s',
    async (gets, _what, attempt) => {
      expect(await attempt(origin)).toBe(gets)
      // Whatever it was, the next caller is served.
      expect(await answersTo(origin, request(call))).toBe('200 result')
    },
  )
})

it('the gateway holds nothing of all that', async () => {
  await everything()
  const before = await memory()
  for (let round = 0; round < 3; round++) await everything()
  const after = await memory()
  const grown = { rss: after.rss - before.rss, heapUsed: after.heapUsed - before.heapUsed }
  // Each round brings 600 attempts with 60 MB of bodies: what is kept of one in a hundred would show in V8's count,
  // which is exact after a collection. The system's count moves by the pages that the allocator keeps.
  expect(grown.heapUsed).toBeLessThan(3_000_000)
  expect(grown.rss).toBeLessThan(80_000_000)
}, 60_000)
