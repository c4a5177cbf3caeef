import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { once } from 'node:events'
import { embeddingKinds, type EmbeddingServer } from './support/embedding-servers.ts'
import { httpUrl, key, secret, startGatewayBefore } from './support/gateway.ts'
import { type HttpReply, post } from './support/http.ts'
import { printRaw, rawIds } from './support/raw-caller.ts'
import { type RawNode, startRawNode } from './support/raw-node.ts'
import { type Exchange, exchangesIn, exchangesOf } from './support/vectors.ts'

// The chain that was recorded: see vectors.test.ts.
const chainId = 0xc72dd9d5e883e
const recorded = exchangesOf('execution-apis-exchanges.json.gz')
/** The folder `tests/eth_simulateV1` of a checkout of execution-apis, whose cases are not among the vectors: they are long. */
const simulations = process.env['SIMULATE_CASES']
const simulated = simulations === undefined ? [] : exchangesIn(simulations)
const exchanges = [...recorded, ...simulated, ...exchangesOf('derived-uncles.json.gz')]
const keyOf = ({ method, params }: Pick<Exchange, 'method' | 'params'>): string => `${method} ${params ?? ''}`
const outcomes = new Map(exchanges.map((exchange) => [keyOf(exchange), exchange.outcome]))
outcomes.set('eth_getBlockByNumber ["latest",false]', outcomes.get('eth_getBlockByNumber ["latest",true]')!)

let node: RawNode
let own: RunningGateway
let config: Config

beforeAll(async () => {
  node = await startRawNode((call) => outcomes.get(keyOf(call)) ?? '"error":{"code":-32601,"message":"not recorded"}')
  const networks = { net: { kind: 'evm', chainId, followHeads: false, upstreams: [node.httpUrl] } } as const
  own = await startGatewayBefore([], { networks })
  config = { cache: false, networks, projects: [{ name: 'conformance', keys: [{ key, secret }] }] }
})
afterAll(async () => {
  await own.close()
  await node[Symbol.asyncDispose]()
})

/** Headers of the connection, and those that no two answers share. */
const others = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'x-trace-id'])

/** An answer as its caller sees it: its bytes, its status, its headers. */
function seen({ status, headers, text }: HttpReply): unknown {
  // `Headers` sorts them.
  const kept = Object.entries(headers)
    .filter(([name]) => !others.has(name))
    .toSorted()
  const traceId = String(headers['x-trace-id'])
  expect(traceId).toMatch(/^[\da-f]{32}$/)
  return { status, headers: Object.fromEntries(kept), text: text.replaceAll(traceId, '<id>') }
}

it.skipIf(simulations === undefined)('the calls are the 232 cases of execution-apis, with SIMULATE_CASES', () => {
  expect(new Set([...recorded, ...simulated].map(({ name }) => name)).size).toBe(232)
})

for (const { name, missing, upgrades, open } of embeddingKinds) {
  describe.skipIf(missing !== undefined)(`a gateway on ${name}${missing === undefined ? '' : `: ${missing}`}`, () => {
    let server: EmbeddingServer
    beforeAll(async () => {
      server = await open(config)
    })
    afterAll(() => server[Symbol.asyncDispose]())

    async function faultsOf(bodies: readonly string[], path = `/v3/${key}`): Promise<string[]> {
      const faults: string[] = []
      for (const body of bodies) {
        const expected = seen(await post(`${own.rpc}${path}`, body))
        const found = seen(await post(`${server.url}/rpc${path}`, body))
        if (JSON.stringify(found) !== JSON.stringify(expected)) {
          const [got, wanted] = [found, expected].map((each) => JSON.stringify(each).slice(0, 400))
          faults.push(`${body.slice(0, 200)}: ${got}, not ${wanted}`)
        }
      }
      return faults
    }

    it('answers each recorded call byte for byte as on its own listener', { timeout: 120_000 }, async () => {
      const bodies = exchanges.map(({ method, params }, i) => printRaw(rawIds[i % rawIds.length]!, method, params))
      expect(await faultsOf(bodies)).toEqual([])
    })

    it('answers them in batches byte for byte', { timeout: 120_000 }, async () => {
      const bodies: string[] = []
      for (let i = 0; i < exchanges.length; i += rawIds.length) {
        const batch = exchanges.slice(i, i + rawIds.length)
        bodies.push(`[${batch.map(({ method, params }, at) => printRaw(rawIds[at]!, method, params)).join(',')}]`)
      }
      expect(await faultsOf(bodies)).toEqual([])
    })

    it('answers what is no call, and refuses whom it does not know, byte for byte', async () => {
      const bodies = ['', '{', '[]', '{"jsonrpc":"2.0","method":"eth_chainId"}', `{"a":"${'a'.repeat(6_000_000)}"}`]
      expect(await faultsOf(bodies)).toEqual([])
      expect(await faultsOf(['{}'], '/v3/stranger')).toEqual([])
      expect(await faultsOf(['{}'], `/absent/v3/${key}`)).toEqual([])
      expect(await faultsOf(['{}'], '/nowhere')).toEqual([])
    })

    it('leaves the other routes of its server alone', async () => {
      const response = await fetch(`${server.url}/own`)
      expect([response.status, await response.text()]).toEqual([200, 'own'])
    })

    if (!upgrades) return
    it('serves WebSocket connections', async () => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc/ws/v3/${key}`)
      await once(socket, 'open')
      const answered = once(socket, 'message')
      const { method, params } = exchanges[0]!
      const text = printRaw('"a"', method, params)
      socket.send(text)
      const [data] = (await answered) as [Buffer]
      expect(data.toString()).toBe((await post(httpUrl(own), text)).text)
      socket.terminate()
    })
  })
}
