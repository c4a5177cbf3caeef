import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient, RevertError } from '@wayleave/client'
import { estimateTotalFee, gas, GasFeesError, type SuggestedGasFees } from '@wayleave/client/gas'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { apiKey, apiKeySecret, type Gateway, startGateway } from './helpers.ts'

let node: DevNode
let gateway: Gateway

beforeAll(async () => {
  ;[node, gateway] = await Promise.all([startDevNode(), startGateway()])
})

afterAll(() => Promise.all([node.close(), gateway.close()]))

const amount = /^\d+(?:\.\d{1,9})?$/

/** One transaction through a client, in a block of its own. */
async function transact(client: Pick<Client, 'requestUnchecked'>): Promise<void> {
  const [from] = await client.requestUnchecked<string[]>('eth_accounts')
  await client.requestUnchecked('eth_sendTransaction', [{ from, to: from }])
}

const waysToAsk = [
  ['a gateway, with the key in the path', () => ({ url: gateway.url, apiKey })],
  ['a gateway, by HTTP Basic', () => ({ url: gateway.url, apiKey, apiKeySecret })],
  [
    'a network of a gateway, by a WebSocket URL',
    () => ({ url: gateway.url.replace('http', 'ws'), apiKey, network: 'rollup-dev' }),
  ],
  ['a node, over HTTP', () => ({ url: node.networks.dev.httpUrl })],
  ['a node, over WebSocket', () => ({ url: node.networks.dev.wsUrl })],
] as const

describe.each(waysToAsk)('client.gas of %s', (_what, options) => {
  it('suggests fees of three levels, and tells what they come from', async () => {
    await using client = createClient({ ...options(), apis: { gas: gas() } })
    const fees = await client.gas.suggested()
    expect(fees.estimatedBaseFee).toMatch(amount)
    for (const level of ['low', 'medium', 'high'] as const) {
      expect(fees[level].suggestedMaxFeePerGas).toMatch(amount)
      expect(Number(fees[level].suggestedMaxFeePerGas)).toBeGreaterThanOrEqual(Number(fees.estimatedBaseFee))
    }
    const history = await client.gas.baseFeeHistory()
    expect(history.length).toBeGreaterThan(0)
    expect(history).toContain(await client.gas.baseFeePercentile())
    expect(history).toContain(await client.gas.busyThreshold())
  })

  it('watches: the suggestion now, and the next after a block', async () => {
    await using client = createClient({ ...options(), apis: { gas: gas() } })
    const seen: SuggestedGasFees[] = []
    for await (const fees of client.gas.watch()) {
      seen.push(fees)
      if (seen.length === 2) break
      await transact(client)
    }
    expect(seen[1]!.estimatedBaseFee).toMatch(amount)
  })

  it('has the total of a transfer, by the fees that it suggests', async () => {
    await using client = createClient({ ...options(), apis: { gas: gas() } })
    const [from, to] = await client.requestUnchecked<[string, string]>('eth_accounts')
    const fee = await estimateTotalFee(client, { from, to, value: 1n })
    expect(fee).toMatchObject({ gasLimit: 21_000n, dataFee: 0n })
    if (!('medium' in fee)) throw new Error('expected levels')
    expect(fee.medium.total).toBe(fee.medium.executionFee)
    expect(fee.medium.atMost).toBe(21_000n * fee.medium.maxFeePerGas)
    expect(Number(fee.medium.totalEth)).toBeGreaterThan(0)
    const stopped = estimateTotalFee(client, { from, to }, { signal: AbortSignal.abort() })
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  })

  it('has no total of a call that reverts, or of what is no transaction', async () => {
    await using client = createClient({ ...options(), apis: { gas: gas() } })
    // Reverts without a reason.
    await expect(estimateTotalFee(client, { data: '0x5f5ffd' })).rejects.toBeInstanceOf(RevertError)
    await expect(estimateTotalFee(client, '0x02')).rejects.toMatchObject({ name: 'GasFeesError', code: 'malformed' })
  })

  it('stops where its signal aborts, before and while it waits', async () => {
    await using client = createClient({ ...options(), apis: { gas: gas() } })
    const stop = new AbortController()
    const watching = (async () => {
      for await (const fees of client.gas.watch({ signal: stop.signal })) stop.abort(fees)
    })()
    await expect(watching).rejects.toMatchObject({ name: 'GasFeesError', code: 'aborted' })
    const aborted = client.gas.suggested({ signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ name: 'GasFeesError', code: 'aborted' })
  })
})

describe('client.gas', () => {
  it('of a gateway asks for the chain id once, or not at all where it was told', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.end(request.method === 'POST' ? '{"jsonrpc":"2.0","id":1,"result":"0x2105"}' : '["1","2.5"]')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/`
    await using client = createClient({ url, apiKey: 'k', network: 'base-mainnet', apis: { gas: gas() } })
    expect(await client.gas.baseFeeHistory()).toEqual(['1', '2.5'])
    await client.gas.baseFeeHistory()
    const asked = 'GET /below/v3/k/networks/8453/baseFeeHistory'
    expect(seen.splice(0)).toEqual(['POST /below/base-mainnet/v3/k', asked, asked])
    await using reported = createClient({ url, apiKey: 'k', apis: { gas: gas({ chainId: 8453 }) } })
    await reported.gas.baseFeeHistory()
    expect(seen.splice(0)).toEqual([asked])
    await using elsewhere = createClient({
      url: 'http://127.0.0.1:1',
      apiKey: 'k',
      apis: { gas: gas({ chainId: 1, url }) },
    })
    expect(await elsewhere.gas.baseFeeHistory()).toEqual(['1', '2.5'])
    server.closeAllConnections()
  })

  it.each([
    ['a wrong key', () => ({ url: gateway.url, apiKey: 'wrong' }), undefined, 'unauthorized'],
    ['a wrong secret', () => ({ url: gateway.url, apiKey, apiKeySecret: 'wrong' }), 31337, 'unauthorized'],
    ['an unknown chain', () => ({ url: gateway.url, apiKey }), 6001, 'unsupported'],
  ] as const)('rejects with a GasFeesError that holds no key: %s', async (_what, options, chainId, code) => {
    await using client = createClient({ ...options(), apis: { gas: gas({ ...(chainId && { chainId }) }) } })
    const thrown = await client.gas.suggested().catch((why: unknown) => why)
    expect(thrown).toBeInstanceOf(GasFeesError)
    expect(thrown).toMatchObject({ code })
    expect(JSON.stringify([String(thrown), thrown])).not.toMatch(/wrong|0123456789abcdef/)
  })

  it.each(['"0x"', '"1"', 'null', '1', '{}'])(
    'rejects with a GasFeesError where a node says that its chain is %s',
    async (id) => {
      const server = createServer((request, response) => {
        request.resume()
        response.setHeader('content-type', 'application/json')
        response.end(`{"jsonrpc":"2.0","id":1,"result":${id}}`)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await using client = createClient({ url, apiKey: 'k', retry: false, apis: { gas: gas() } })
      const thrown = client.gas.suggested()
      await expect(thrown).rejects.toMatchObject({ name: 'GasFeesError', code: 'invalid_response' })
      server.closeAllConnections()
      server.close()
    },
  )

  it('tells what a gateway says of a network that it does not have', async () => {
    await using client = createClient({ url: gateway.url, apiKey, network: 'nope', retry: false, apis: { gas: gas() } })
    await expect(client.gas.suggested()).rejects.toMatchObject({
      name: 'GasFeesError',
      code: 'http_status',
      httpStatus: 404,
      message: expect.stringContaining('unknown network "nope"') as string,
    })
  })

  it('rejects where nobody listens, of a gateway and of a node', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await new Promise((resolve) => server.close(resolve))
    for (const [options, chainId] of [[{ url }], [{ url, apiKey }], [{ url, apiKey }, 1]] as const) {
      await using client = createClient({
        ...options,
        retry: false,
        apis: { gas: gas({ ...(chainId && { chainId }) }) },
      })
      await expect(client.gas.suggested()).rejects.toMatchObject({ name: 'GasFeesError' })
      await expect(client.gas.baseFeeHistory()).rejects.toMatchObject({ name: 'GasFeesError' })
    }
  })
})
