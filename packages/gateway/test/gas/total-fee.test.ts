import { rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { basic, elsewhereKey, key, secret, send, startNode, startTestGateway, type TestNode } from '../support.ts'
import { createFeeNode } from './support.ts'

const gas = { blocksOnDemand: true } as const
const feeNode = createFeeNode()
const to = `0x${'22'.repeat(20)}`
const elsewhere = `0x${'33'.repeat(20)}`
const silent = `0x${'44'.repeat(20)}`

/** A chain of the OP stack, where calls to `elsewhere` revert, and those to `silent` do not end. */
const handler: RpcHandler = async (request, context) => {
  const { method, params } = request
  const [first] = (params?.value() ?? []) as readonly [unknown?]
  if (method === 'eth_getCode') {
    return { result: rawJsonFromValue(first === '0x420000000000000000000000000000000000000f' ? '0x60' : '0x') }
  }
  if (method === 'eth_getStorageAt') return { result: rawJsonFromValue(`0x${'0'.repeat(64)}`) }
  if (method === 'eth_call') return { result: rawJsonFromValue(`0x${'3e8'.padStart(64, '0')}`) }
  if (method !== 'eth_estimateGas') return feeNode.handler(request, context)
  const called = (first as { readonly to?: string }).to
  const isRefused = called === elsewhere
  if (called === silent) return new Promise(() => {})
  if (isRefused) return { error: { code: 3, message: 'execution reverted: closed' } }
  return { result: rawJsonFromValue('0x5208') }
}

let node: TestNode
let gateway: RunningGateway

const networksOf = (url: string): Config['networks'] => ({
  mainnet: { kind: 'evm', chainId: 1, upstreams: [url], gas },
})
const path = (query: string, withKey = key): string => `/v3/${withKey}/networks/1/totalFee${query}`

beforeAll(async () => {
  node = await startNode(handler)
  gateway = await startTestGateway([], { networks: networksOf(node.url) })
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

describe('totalFee of the gas API', () => {
  it('tells what a call costs with the data of a rollup, to web pages too', async () => {
    const answer = await send(gateway.rpc, path(`?to=${to}`), { headers: { origin: 'https://dapp.example' } })
    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBeDefined()
    const body = JSON.parse(answer.body) as { readonly medium: Readonly<Record<string, string>> }
    expect(body).toMatchObject({ gasLimit: '21000', rollup: 'op', dataFee: '1000' })
    expect(BigInt(body.medium['total']!)).toBe(BigInt(body.medium['executionFee']!) + 1_000n)
    const hex = await send(gateway.rpc, `/networks/0x1/totalFee?to=${to}`, {
      headers: { authorization: basic(key, secret) },
    })
    expect(JSON.parse(hex.body)).toEqual(body)
    const head = await send(gateway.rpc, path(`?to=${to}`), { method: 'HEAD' })
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      answer.headers['content-length'],
    ])
  })

  it.each([
    [path(`?to=${elsewhere}`), 400, 'the node refuses this transaction: execution reverted: closed'],
    [path(''), 400, 'expected to, from, data, value, gas, nonce of a call, or signed, got none'],
    [path(`?to=${to}`).replace('networks/1', 'networks/7'), 400, "'7' is not a supported chain id."],
    [path(`?to=${to}`, 'nobody'), 401, 'Unauthorized'],
  ])('answers errors as the other endpoints do: %s', async (url, status, message) => {
    const answer = await send(gateway.rpc, url)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toEqual({ statusCode: status, message })
  })

  it.each([
    ['another method', { methods: ['eth_call'] }, `?to=${to}`, 403],
    ['this method', { methods: ['eth_estimateGas'] }, `?to=${to}`, 200],
    ['another address', { addresses: [elsewhere] }, `?to=${to}`, 403],
    ['this address', { addresses: [to] }, `?to=${to}`, 200],
    ['an address, of a creation', { addresses: [to] }, '?data=0x60', 403],
    ['an address, of a signed transaction', { addresses: [to] }, '?signed=0x02c0', 403],
  ])('estimates what the rules of a project allow: %s', async (_, rules, query, status) => {
    const limited = await startTestGateway([], {
      networks: networksOf(node.url),
      projects: [{ name: 'limited', keys: [{ key }], rules }],
    })
    const answer = await send(limited.rpc, path(query))
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.body).toContain('rejected due to project ID settings')
    expect((await send(limited.rpc, `/v3/${key}/networks/1/suggestedGasFees`)).status).toBe(200)
    await limited.close()
  })

  it.each([
    ['for everyone, in any case', { deny: ['ETH_estimategas'] }, `?to=${to}`, 'eth_estimateGas'],
    [
      'by its beginning, also where the gas is given',
      { deny: ['eth_estimate*'] },
      `?to=${to}&gas=21000`,
      'eth_estimateGas',
    ],
    ['of the questions after it', { deny: ['eth_call'] }, `?to=${to}&gas=21000`, 'eth_call'],
  ])(
    'is refused in the words of JSON-RPC where the operator denies the method %s',
    async (_, methods, query, method) => {
      const limited = await startTestGateway([], { networks: networksOf(node.url), methods })
      const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [{ to }] })
      const reported = await send(limited.rpc, `/v3/${key}`, { method: 'POST', body: call })
      const { error } = JSON.parse(reported.body) as { readonly error: { readonly message: string } }
      const answer = await send(limited.rpc, path(query))
      expect(JSON.parse(answer.body)).toEqual({ statusCode: 400, message: error.message })
      expect(error.message).toContain(`the method ${method} does not exist`)
      expect((await send(limited.rpc, `/v3/${key}/networks/1/suggestedGasFees`)).status).toBe(200)
      await limited.close()
    },
  )

  it('is 503 once the time of a request is over', async () => {
    const hung = await startNode((request, context) =>
      request.method === 'eth_estimateGas' ? new Promise(() => {}) : handler(request, context),
    )
    const slow = await startTestGateway([], { networks: networksOf(hung.url), limits: { requestTimeoutMs: 300 } })
    const answer = await send(slow.rpc, path(`?to=${to}`))
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(answer.body).toContain('the nodes of this network tell no total now')
    await slow.close()
    await hung.close()
  })

  it('is asked of the upstreams of the project alone, on a network that is its own', async () => {
    const asked: string[] = []
    const paid = await startNode((request, context) => {
      asked.push(request.method)
      return handler(request, context)
    })
    const upstreams = [
      { url: paid.url, name: 'paid', groups: ['paid'] },
      { url: node.url, name: 'cheap', groups: ['cheap'] },
    ]
    const confined = await startTestGateway([], {
      networks: {
        mainnet: { kind: 'evm', chainId: 1, upstreams, gas },
        second: { kind: 'evm', chainId: 1, upstreams, gas },
      },
      projects: [
        { name: 'confined', upstreams: ['cheap'], keys: [{ key }] },
        { name: 'elsewhere', networks: ['second'], upstreams: ['cheap'], keys: [{ key: elsewhereKey }] },
      ],
    })
    // The fees are the gateway's own question.
    await send(confined.rpc, `/v3/${key}/networks/1/suggestedGasFees`)
    asked.length = 0
    expect((await send(confined.rpc, path(`?to=${to}`))).status).toBe(200)
    expect((await send(confined.rpc, path(`?to=${to}`, elsewhereKey))).status).toBe(200)
    expect(asked).toEqual([])
    const metrics = (await send(confined.admin, '/metrics')).body
    for (const network of ['mainnet', 'second']) {
      expect(metrics).toMatch(new RegExp(`^wayleave_calls_total\\{network="${network}",class="read",outcome="ok"`, 'm'))
    }
    await confined.close()
    await paid.close()
  })

  it.each([
    ['a call that reverts', `?to=${elsewhere}`, 400, 620],
    ['a call whose time is over', `?to=${silent}`, 503, 620],
    ['no call, of which no node is asked', '?gasPrice=1', 400, 995],
  ])('costs its price once nodes were asked: %s', async (_, query, status, left) => {
    const metered = await startTestGateway([], {
      networks: networksOf(node.url),
      plans: { small: { perDay: { credits: 1_000 } } },
      projects: [{ name: 'small', plan: 'small', keys: [{ key }] }],
      limits: { requestTimeoutMs: 300 },
    })
    expect((await send(metered.rpc, path(query))).status).toBe(status)
    const after = await send(metered.rpc, path('?gasPrice=1'))
    expect(after.headers['ratelimit']).toContain(`r=${left - 380};`)
    await metered.close()
  })

  it.each([path(`?to=${to}`), '/gasprices/blockprices?chainid=1', `/v3/${key}/gasprices/blockprices`])(
    'answers the preflight of a web page: %s',
    async (url) => {
      const headers = { origin: 'https://dapp.example', 'access-control-request-method': 'GET' }
      const answer = await send(gateway.rpc, url, { method: 'OPTIONS', headers })
      expect(answer).toMatchObject({ status: 204, body: '' })
      expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
      expect(answer.headers['access-control-expose-headers'] ?? 'Age').toContain('Age')
    },
  )

  it('stops asking once its caller has left, who pays its price', async () => {
    const reached = Promise.withResolvers<void>()
    const asked: string[] = []
    const slow = await startNode((request, context) => {
      asked.push(request.method)
      if (request.method !== 'eth_estimateGas') return handler(request, context)
      reached.resolve()
      return new Promise(() => {})
    })
    const metered = await startTestGateway([], {
      networks: networksOf(slow.url),
      plans: { small: { perDay: { credits: 1_000 } } },
      projects: [{ name: 'small', plan: 'small', keys: [{ key }] }],
    })
    const caller = new AbortController()
    const gone = fetch(`${metered.rpc}${path(`?to=${to}`)}`, { signal: caller.signal })
    await reached.promise
    caller.abort()
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' })
    await vi.waitFor(() => expect(slow.cut).toBe(1))
    expect(asked.filter((method) => method === 'eth_estimateGas')).toHaveLength(1)
    const after = await send(metered.rpc, path('?gasPrice=1'))
    expect(after.headers['ratelimit']).toContain('r=240;')
    await metered.close()
    await slow.close()
  })
})
