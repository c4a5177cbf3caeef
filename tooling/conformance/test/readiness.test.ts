import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { missingPostgres, startPostgres } from './support/postgres-server.ts'
import { key, secret } from './support/gateway.ts'
import { answer, startPeer } from './support/peer.ts'
import { startProxy } from './support/proxy-process.ts'

/** How long each outage lasts, in seconds; `READINESS_SECONDS=60` is the long form. */
const seconds = Number(process.env['READINESS_SECONDS'] ?? 3)
const pollEveryMs = 200
/** As long as a kubelet waits by default. */
const pollWithinMs = 1_000
const callers = 4

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A balancer that gives calls in turn to whoever answers `/readyz` with 200, and 503 where nobody does. */
async function startBalancer(targets: readonly string[]) {
  let ready: readonly string[] = targets
  /** The fewest that were ready at once. */
  let fewest = targets.length
  let next = 0
  const server = createServer((incoming, outgoing) => {
    const target = ready[next++ % Math.max(ready.length, 1)]
    if (target === undefined) return void outgoing.writeHead(503).end()
    const { method, headers, url } = incoming
    const passed = request(`${target}${url}`, { method: method!, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    passed.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closing = new AbortController()
  const polling = (async () => {
    while (!closing.signal.aborted) {
      const answers = await Promise.all(
        targets.map(async (target) => {
          const options = { signal: AbortSignal.timeout(pollWithinMs) }
          return fetch(`${target}/readyz`, options).then(
            ({ status }) => status === 200,
            () => false,
          )
        }),
      )
      ready = targets.filter((_, i) => answers[i])
      fewest = Math.min(fewest, ready.length)
      await sleep(pollEveryMs)
    }
  })()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fewest: () => fewest,
    async close() {
      closing.abort()
      await polling
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.skipIf(process.env['REQUIRE_SERVICES'] === undefined && missingPostgres() !== undefined)(
  'two gateways behind a balancer that obeys /readyz',
  () => {
    it(
      'fail no call to nine networks while the tenth loses its upstreams, and then the store stops',
      async () => {
        await using server = await startPostgres()
        const store = { postgres: await server.createDatabase('shared') }
        await using healthy = await startPeer(answer('0x1'))
        const lost = await startPeer(answer('0x1'))
        const names = Array.from({ length: 10 }, (_, i) => `n${i}`)
        const config = {
          listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
          store,
          networks: Object.fromEntries(
            names.map((name, i) => [
              name,
              { kind: 'evm', chainId: 1, upstreams: [(i === 0 ? lost : healthy).httpUrl] },
            ]),
          ),
          projects: [{ name: 'conformance', keys: [{ key, secret }] }],
        }
        await using one = await startProxy(config)
        await using two = await startProxy(config)
        const balancer = await startBalancer([one.rpc, two.rpc])
        onTestFinished(() => balancer.close())

        const ask = async (network: string): Promise<number> => {
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
          const response = await fetch(`${balancer.url}/${network}/v3/${key}`, { method: 'POST', body })
          await response.text()
          return response.status
        }
        const counts = { answered: 0, failed: 0 }
        const enough = new AbortController()
        const calling = Array.from({ length: callers }, async (_, caller) => {
          for (let i = caller; !enough.signal.aborted; i++) {
            const status = await ask(names[1 + (i % 9)]!).catch(() => 0)
            counts[status === 200 ? 'answered' : 'failed']++
            await sleep(20)
          }
        })
        const degraded = async (admin: string): Promise<readonly string[]> =>
          ((await (await fetch(`${admin}/status`)).json()) as { readonly degraded: readonly string[] }).degraded
        const reported = async (...what: readonly string[]): Promise<void> => {
          for (const { admin } of [one, two]) await expect.poll(() => degraded(admin)).toEqual(what)
        }

        await reported()
        expect(await ask('n0')).toBe(200)
        await lost[Symbol.asyncDispose]()
        await reported('network:n0')
        expect(await ask('n0')).toBe(502)
        await sleep(seconds * 1_000)
        await server.restart(async () => {
          await reported('network:n0', 'store')
          await sleep(seconds * 1_000)
        })
        await reported('network:n0')
        enough.abort()
        await Promise.all(calling)
        expect(counts.answered).toBeGreaterThan(100)
        expect([counts.failed, balancer.fewest()]).toEqual([0, 2])
      },
      120_000 + seconds * 2_000,
    )
  },
)
