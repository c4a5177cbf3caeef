import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { formatGwei, parseGwei } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alice, transact } from './support/chain.ts'
import { basic, gasUrl, get } from './support/gas.ts'
import { key, secret, startDevGateway, startGatewayBefore } from './support/gateway.ts'
import { ask, type HttpReply } from './support/http.ts'
import { secretsIn } from './support/secret-forms.ts'
import { until } from './support/wait.ts'

let node: DevNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const endpoints = ['suggestedGasFees', 'baseFeeHistory', 'baseFeePercentile', 'busyThreshold']
const levels = ['low', 'medium', 'high'] as const

interface Fees {
  readonly estimatedBaseFee: string
  readonly networkCongestion: number
  readonly baseFeeTrend: string
  readonly priorityFeeTrend: string
  readonly low: Level
  readonly medium: Level
  readonly high: Level
}

interface Level {
  readonly suggestedMaxPriorityFeePerGas: string
  readonly suggestedMaxFeePerGas: string
  readonly minWaitTimeEstimate: number
  readonly maxWaitTimeEstimate: number
}

const feesOf = ({ text }: HttpReply): Fees => JSON.parse(text) as Fees

/** The fees as the gateway tells them once it knows of a block. */
async function feesAfter(chainId: number, blockNumber: number): Promise<Fees> {
  let fees: Fees | undefined
  let waiting = false
  await until(`the fees after block ${blockNumber}`, () => {
    if (!waiting) {
      waiting = true
      void get(gasUrl(gateway, chainId)).then((reply) => {
        waiting = false
        if (Number(reply.headers['x-block-number']) === blockNumber) fees = feesOf(reply)
      })
    }
    return fees !== undefined
  })
  return fees!
}

/** One transaction in a block of `gasLimit`, whose number is given. A transfer takes 21,000: half of the limit is the target. */
async function mine(url: string, gasLimit: number, tip: number): Promise<number> {
  await ask(url, 'evm_setBlockGasLimit', [`0x${gasLimit.toString(16)}`])
  const fees = { maxPriorityFeePerGas: `0x${tip.toString(16)}`, maxFeePerGas: '0x174876e800' }
  const { blockNumber } = await transact(url, { to: alice.address, gas: '0x5208', ...fees })
  return Number(blockNumber)
}

describe('the gas API over a real chain', () => {
  it('tells the base fee of the next block before that comes, as it rises and falls', async () => {
    const url = node.networks.dev.httpUrl
    const chainId = node.networks.dev.chainId
    const seen: bigint[] = []
    // Full blocks let the base fee rise by an eighth, nearly empty ones fall by one.
    for (const gasLimit of [21_000, 21_000, 21_000, 30_000_000, 30_000_000, 42_000, 21_000]) {
      const blockNumber = await mine(url, gasLimit, 1e9 + seen.length)
      const fees = await feesAfter(chainId, blockNumber)
      seen.push(parseGwei(fees.estimatedBaseFee))
      for (const level of levels) {
        const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas } = fees[level]
        expect(parseGwei(suggestedMaxFeePerGas)).toBeGreaterThanOrEqual(
          seen.at(-1)! + parseGwei(suggestedMaxPriorityFeePerGas),
        )
      }
    }
    const reported = seen.slice(0, -1)
    const first = Number(await ask(url, 'eth_blockNumber')) - reported.length
    const actual = await Promise.all(
      reported.map(async (_fee, i) => {
        const block = await ask(url, 'eth_getBlockByNumber', [`0x${(first + i + 1).toString(16)}`, false])
        return BigInt((block as { baseFeePerGas: string }).baseFeePerGas)
      }),
    )
    expect(reported).toEqual(actual)
    expect(new Set(reported).size).toBeGreaterThan(3)
    await ask(url, 'evm_setBlockGasLimit', ['0x1c9c380'])
  })

  it('answers each endpoint of both chains in both forms of its path, alike', async () => {
    for (const { chainId } of Object.values(node.networks)) {
      for (const endpoint of endpoints) {
        const byKey = await get(gasUrl(gateway, chainId, endpoint))
        const forms = [
          `${gateway.rpc}/networks/${chainId}/${endpoint}`,
          gasUrl(gateway, `0x${chainId.toString(16)}`, endpoint),
        ]
        for (const url of forms) {
          for (const password of [secret, '']) {
            const byBasic = await get(url, { headers: basic(key, password) })
            expect({ status: byBasic.status, text: byBasic.text }, url).toEqual({ status: 200, text: byKey.text })
          }
        }
        expect(byKey.headers['content-type']).toBe('application/json')
        expect(byKey.headers['x-block-number']).toMatch(/^\d+$/)
        expect(byKey.headers['cache-control']).toMatch(/^private, max-age=\d+$/)
      }
    }
  })

  it('answers 500 blocks of history at most, whose last is the head, and its percentiles', async () => {
    const { chainId, httpUrl } = node.networks.dev
    const head = (await ask(httpUrl, 'eth_getBlockByNumber', ['latest', false])) as Record<string, string>
    const history = JSON.parse((await get(gasUrl(gateway, chainId, 'baseFeeHistory'))).text) as string[]
    expect(parseGwei(history.at(-1)!)).toBe(BigInt(head['baseFeePerGas']!))
    expect(history).toHaveLength(Number(head['number']) + 1)
    const percentile = JSON.parse((await get(gasUrl(gateway, chainId, 'baseFeePercentile'))).text) as object
    const threshold = JSON.parse((await get(gasUrl(gateway, chainId, 'busyThreshold'))).text) as object
    expect(history).toContain((percentile as Record<string, string>)['baseFeePercentile'])
    expect(history).toContain((threshold as Record<string, string>)['busyThreshold'])
  })

  it('prints amounts that MetaMask does not round: gwei in at most nine decimals, trimmed, without an exponent', async () => {
    const reply = await get(gasUrl(gateway, node.networks.dev.chainId))
    const fees = feesOf(reply)
    const amounts = reply.text.match(/"\d[^"]*"/g)!.map((text) => JSON.parse(text) as string)
    expect(amounts.length).toBeGreaterThanOrEqual(13)
    for (const amount of amounts) expect(formatGwei(parseGwei(amount)), amount).toBe(amount)
    expect(['up', 'down', 'level']).toEqual(expect.arrayContaining([fees.baseFeeTrend, fees.priorityFeeTrend]))
    expect(fees.networkCongestion).toBeGreaterThanOrEqual(0)
    expect(fees.networkCongestion).toBeLessThanOrEqual(1)
    for (const level of levels) {
      const { minWaitTimeEstimate, maxWaitTimeEstimate } = fees[level]
      expect(Number.isInteger(minWaitTimeEstimate) && maxWaitTimeEstimate >= minWaitTimeEstimate, level).toBe(true)
    }
  })

  it('says which chains there are, to anybody', async () => {
    const names = { [node.networks.dev.chainId]: 'dev', [node.networks['rollup-dev'].chainId]: 'rollup-dev' }
    for (const path of ['/v1/supportedChainNames', `/v3/${key}/v1/supportedChainNames`]) {
      expect(JSON.parse((await get(`${gateway.rpc}${path}`)).text)).toEqual(names)
    }
  })
})

describe('HTTP at the gas API', () => {
  const url = (): string => gasUrl(gateway, node.networks.dev.chainId)

  it('gives 304 without a body while the block is the same, and 200 after the next', async () => {
    const { chainId, httpUrl } = node.networks.dev
    const first = await get(url())
    const etag = String(first.headers.etag)
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await get(url(), { headers: { 'if-none-match': tags } })
      expect({ status: again.status, text: again.text, etag: again.headers.etag }).toEqual({
        status: 304,
        text: '',
        etag,
      })
      expect(again.headers['content-length']).toBeUndefined()
    }
    await feesAfter(chainId, await mine(httpUrl, 30_000_000, 1e9))
    const later = await get(url(), { headers: { 'if-none-match': etag } })
    expect(later.status).toBe(200)
    expect(later.headers.etag).not.toBe(etag)
  })

  it('answers HEAD as GET without the body, refuses POST, and lets any page ask without credentials in its preflight', async () => {
    const whole = await get(url())
    const head = await get(url(), { method: 'HEAD' })
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
    expect(head.headers).toMatchObject({ etag: whole.headers.etag, 'content-length': whole.headers['content-length'] })
    const posted = await get(url(), { method: 'PUT' })
    expect(posted).toMatchObject({ status: 405, text: '{"statusCode":405,"message":"expected GET or HEAD, got PUT"}' })
    expect(posted.headers.allow).toBe('GET, HEAD')
    const origin = 'https://wallet.example'
    for (const path of ['/networks/31337/suggestedGasFees', '/v3/nobody/networks/1/x', '/v1/supportedChainNames']) {
      const preflight = await get(`${gateway.rpc}${path}`, { method: 'OPTIONS', headers: { origin } })
      expect(preflight.status).toBe(204)
      expect(preflight.headers['access-control-allow-methods']).toContain('GET')
      expect(preflight.headers['access-control-allow-headers']).toMatch(/Authorization.*If-None-Match.*X-Client-Id/)
    }
    const shared = await get(url(), { headers: { origin, 'x-client-id': 'extension' } })
    expect(shared.headers['access-control-allow-origin']).toBe(origin)
    expect(shared.headers['access-control-expose-headers']).toMatch(/ETag.*X-Block-Number/)
  })

  it('refuses with the shapes that clients of such services know', async () => {
    const at = (path: string): string => `${gateway.rpc}${path}`
    const { chainId } = node.networks.dev
    const unauthorized = { status: 401, text: '{"statusCode":401,"message":"Unauthorized"}' }
    const strangers: readonly (readonly [path: string, headers?: Record<string, string>])[] = [
      [`/networks/${chainId}/suggestedGasFees`],
      [`/networks/${chainId}/suggestedGasFees`, basic('nobody', '')],
      [`/networks/${chainId}/suggestedGasFees`, basic(key, 'wrong')],
      [`/networks/${chainId}/suggestedGasFees`, basic('', secret)],
      [`/networks/${chainId}/suggestedGasFees`, { authorization: `Bearer ${key}` }],
      [`/v3/nobody/networks/${chainId}/suggestedGasFees`],
      [`/v3//networks/${chainId}/suggestedGasFees`],
      [`/v3/${key}/networks/${chainId}/suggestedGasFees`, basic('', 'wrong')],
      [`/v3/${key}/networks/${chainId}/suggestedGasFees`, basic('another', '')],
      ['/networks/6001/suggestedGasFees'],
      ['/v3/nobody/v1/supportedChainNames'],
      ['/v1/supportedChainNames', basic(key, 'wrong')],
    ]
    for (const [path, headers = {}] of strangers) {
      const refused = await get(at(path), { headers })
      expect(refused, path).toMatchObject(unauthorized)
      expect(refused.headers['www-authenticate']).toMatch(/^Basic/)
    }
    const unknown = await get(gasUrl(gateway, 6001))
    expect(unknown).toMatchObject({
      status: 400,
      text: '{"statusCode":400,"message":"\'6001\' is not a supported chain id."}',
    })
    expect((await get(gasUrl(gateway, chainId, 'nothing'))).status).toBe(404)
  })
})

describe('a key of the gas API', () => {
  it('reaches the networks of its project only, however the chain id is spelled; one that requires a secret wants it', async () => {
    const { dev, 'rollup-dev': rollup } = node.networks
    const network = { kind: 'evm', gas: { blocksOnDemand: true } } as const
    const settings = {
      networks: {
        one: { ...network, chainId: dev.chainId, upstreams: [dev.httpUrl] },
        two: { ...network, chainId: rollup.chainId, upstreams: [rollup.httpUrl] },
        off: { kind: 'evm', chainId: 7, upstreams: [dev.httpUrl], gas: false },
      },
      projects: [
        { name: 'narrow', networks: ['two'], keys: [{ key: 'narrow' }] },
        { name: 'locked', requireSecret: true, keys: [{ key: 'locked', secret }] },
      ],
    } as const
    await using before = await startGatewayBefore([], settings)
    const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
      (await get(`${before.rpc}${path}`, { headers })).status
    const hex = dev.chainId.toString(16)
    const encoded = `%3${String(dev.chainId)[0]}${String(dev.chainId).slice(1)}`
    for (const chainId of [dev.chainId, `0x${hex}`, `0x0${hex.toUpperCase()}`, encoded]) {
      for (const below of [...endpoints, 'suggestedGasFees/stream', '']) {
        expect(await status(`/v3/narrow/networks/${chainId}/${below}`), `${chainId}`).toBe(403)
      }
    }
    expect(await status(`/networks/${rollup.chainId}/suggestedGasFees`, basic('narrow', ''))).toBe(200)
    expect((await get(`${before.rpc}/v3/narrow/v1/supportedChainNames`)).text).toBe(`{"${rollup.chainId}":"two"}`)
    for (const headers of [{}, basic('locked', ''), basic('locked', 'x')]) {
      expect(await status(`/v3/locked/networks/${dev.chainId}/suggestedGasFees`, headers)).toBe(401)
    }
    expect(await status(`/networks/${dev.chainId}/suggestedGasFees`, basic('locked', secret))).toBe(200)
    expect(await status(`/networks/7/suggestedGasFees`, basic('locked', secret))).toBe(400)
  })

  it('stands in no metric and no answer, nor does its secret', async () => {
    const replies = await Promise.all([
      get(gasUrl(gateway, 31337), { headers: basic(key, secret) }),
      get(`${gateway.rpc}/networks/${secret}/suggestedGasFees`, { headers: basic(key, 'wrong') }),
    ])
    const metrics = await get(`${gateway.admin}/metrics`)
    expect(metrics.text).toMatch(
      /wayleave_gas_answers_total\{network="dev",endpoint="suggestedGasFees",status="200"\} \d+/,
    )
    expect(metrics.text).toMatch(/wayleave_gas_age_seconds\{network="dev"\} \d/)
    expect(metrics.text).toMatch(/wayleave_refusals_total\{status="401"\} \d+/)
    const reported = [metrics, ...replies].map(({ text, headers }) => `${text}${JSON.stringify(headers)}`)
    expect(secretsIn(reported.join('\n'), { key, secret })).toEqual([])
  })
})
