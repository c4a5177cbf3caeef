import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { key } from './support/gateway.ts'
import { answersTo, request } from './support/hostile-connection.ts'
import type { Holdings } from './support/hostile-gateway.ts'
import { bodies, requests } from './support/hostile-http.ts'
import { patient } from './support/hostile-patience.ts'
import { handshakes, sockets } from './support/hostile-sockets.ts'
import { answer, answerSocket, type Peer, startPeer } from './support/peer.ts'
import { until } from './support/wait.ts'

let peer: Peer
let child: ChildProcess
let origin: string
/** What the gateway holds when it has answered one call, and its upstream has left. */
let atStart: Omit<Holdings, 'bytes'>

beforeAll(async () => {
  peer = await startPeer(answer('0x1'), answerSocket('0x1'))
  const gateway = fileURLToPath(new URL('support/hostile-gateway.ts', import.meta.url))
  child = fork(gateway, [peer.httpUrl, peer.wsUrl, key], {
    execArgv: [
      '--expose-gc',
      '--no-flush-bytecode',
      '--disable-warning=ExperimentalWarning',
      '--conditions=@wayleave/source',
    ],
  })
  const [{ rpc }] = (await once(child, 'message')) as [{ rpc: string }]
  origin = rpc
  await answersTo(origin, request(call))
  await until('the upstream to leave', () => peer.connections === 0)
  atStart = await settled()
})
afterAll(async () => {
  child.disconnect()
  await once(child, 'exit')
  await peer[Symbol.asyncDispose]()
})

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const rows = [...bodies, ...requests, ...sockets, ...handshakes]

async function holdings(): Promise<Holdings> {
  child.send('measure')
  const [held] = (await once(child, 'message')) as [Holdings]
  return held
}

/** Counts the resources that keep the gateway's event loop busy, by their kind. */
async function waitsFor(): Promise<Holdings['resources']> {
  child.send('resources')
  const [resources] = (await once(child, 'message')) as [Holdings['resources']]
  return resources
}

/** Measures until nothing has changed for a second: a moment after a call, the socket and timers of its caller may still be there. */
async function settled(): Promise<typeof atStart> {
  for (let before = await kept(); ;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const now = await kept()
    if (isDeepStrictEqual(now, before)) return now
    before = now
  }
}

async function kept(): Promise<typeof atStart> {
  const { objects, resources } = await holdings()
  return { objects, resources }
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

describe.concurrent('a caller in no pollSoon gets', () => {
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
  const rounds: Holdings['bytes'][] = []
  for (let round = 0; round < 3; round++) {
    await everything()
    rounds.push((await holdings()).bytes)
  }
  // The gateway hears a moment later that the last caller, and its own upstream, have left: what it waits for costs no collection to ask.
  await expect.poll(waitsFor, { timeout: 60_000 }).toEqual(atStart.resources)
  await expect.poll(kept, { timeout: 60_000 }).toEqual(atStart)
  // What is kept grows with every round, of 200 attempts with 60 MB of bodies; what V8 compiles or keeps at hand does not.
  for (const kind of ['heapUsed', 'arrayBuffers', 'external'] as const) {
    const grown = rounds.slice(1).map((bytes, i) => bytes[kind] - rounds[i]![kind])
    expect(Math.min(...grown), `${kind} by round: ${grown.join(', ')}`).toBeLessThan(100_000)
  }
}, 240_000)
