import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  closedKey,
  elsewhereKey,
  exchange,
  key,
  rawConnection,
  refusedUrl,
  secret,
  send,
  sleep,
  startNode,
  startTestGateway,
  type TestNode,
} from '../support.ts'
import { createFeeNode } from './support.ts'

const gas = { blocksOnDemand: true } as const
const feeNode = createFeeNode()
let node: TestNode
let gateway: RunningGateway

function networksOf(url: string): Config['networks'] {
  return {
    mainnet: { kind: 'evm', chainId: 1, upstreams: [url], gas },
    twin: { kind: 'evm', chainId: 1, upstreams: [url], gas },
    other: { kind: 'rollup', chainId: 2, upstreams: [url], gas },
    plain: { kind: 'evm', chainId: 4, upstreams: [url], gas: true },
    silent: { kind: 'evm', chainId: 3, upstreams: [url], gas: false },
  }
}

beforeAll(async () => {
  node = await startNode(feeNode.handler)
  gateway = await startTestGateway([], { networks: networksOf(node.url) })
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const path = (chainId: number | string, endpoint = 'suggestedGasFees', withKey = key): string =>
  `/v3/${withKey}/networks/${chainId}/${endpoint}`

describe('the gas API', () => {
  it('asks the nodes nothing before somebody asks, and then once for all who ask at once', async () => {
    const quiet = await startNode(feeNode.handler)
    const before = await startTestGateway([], { networks: networksOf(quiet.url) })
    await send(before.rpc, '/v1/supportedChainNames')
    await send(before.rpc, path(6001))
    await send(before.rpc, path(1, 'suggestedGasFees', 'nobody'))
    await (await fetch(`${before.admin}/metrics`)).text()
    expect(quiet.calls).toEqual([])
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(before.rpc, path(1))))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(answers[0]!.status).toBe(200)
    expect(quiet.calls.filter((method) => method === 'eth_feeHistory')).toHaveLength(1)
    await before.close()
    await quiet.close()
  })

  it('tells a follower of the nodes from a caller: what is denied to callers is asked all the same', async () => {
    const before = await startTestGateway([], {
      networks: networksOf(node.url),
      methods: { deny: ['eth_feeHistory', 'eth_getBlockByNumber'] },
    })
    expect((await send(before.rpc, path(1))).status).toBe(200)
    await before.close()
  })

  it('follows a chain once for all networks of its id, and lets in who may reach any of them', async () => {
    expect((await send(gateway.rpc, path(2, 'suggestedGasFees', elsewhereKey))).status).toBe(200)
    const denied = await send(gateway.rpc, path(1, 'suggestedGasFees', elsewhereKey))
    expect(denied).toMatchObject({
      status: 403,
      body: '{"statusCode":403,"message":"project ID does not have access to mainnet"}',
    })
    expect((await send(gateway.rpc, path(3))).body).toBe(
      '{"statusCode":400,"message":"\'3\' is not a supported chain id."}',
    )
    expect((await send(gateway.rpc, '/v1/supportedChainNames')).body).toBe('{"1":"mainnet","2":"other","4":"plain"}')
    const twin = await startTestGateway([], {
      networks: networksOf(node.url),
      projects: [{ name: 'twin', networks: ['twin'], keys: [{ key }] }],
    })
    expect((await send(twin.rpc, path(1))).status).toBe(200)
    expect((await send(twin.rpc, `/v3/${key}/v1/supportedChainNames`)).body).toBe('{"1":"twin"}')
    await twin.close()
  })

  it.each([
    ['the key alone, with an empty password', key, '', 200],
    ['the key and its secret', key, secret, 200],
    ['a wrong secret', key, 'x', 401],
    ['a key that requires its secret, without it', closedKey, '', 401],
    ['a key that requires its secret, with it', closedKey, secret, 200],
    ['nobody', '', '', 401],
    ['a secret without its key', '', secret, 401],
    ['what can be no key', 'a b', '', 401],
  ])('takes HTTP Basic: %s', async (_what, user, password, status) => {
    const headers = { authorization: basic(user, password) }
    expect((await send(gateway.rpc, '/networks/1/suggestedGasFees', { headers })).status).toBe(status)
  })

  it.each(['Basic', 'Basic !', 'Bearer x', 'Basic Og', `Basic ${Buffer.from('nocolon').toString('base64')}`])(
    'refuses the credentials %j',
    async (authorization) => {
      for (const url of ['/networks/1/suggestedGasFees', path(1)]) {
        // `Og` is a lone colon: no user and no password, which is no more than a key in the path alone.
        const status = authorization === 'Basic Og' && url === path(1) ? 200 : 401
        expect((await send(gateway.rpc, url, { headers: { authorization } })).status, url).toBe(status)
      }
    },
  )

  it('is served to this machine alone where only that is, and to one host', async () => {
    const local = await startTestGateway([], { networks: networksOf(node.url), onlyLocal: true })
    expect((await send(local.rpc, path(1))).status).toBe(200)
    expect((await send(local.rpc, path(1), { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await send(local.rpc, path(1), { headers: { host: 'evil.example' } })).status).toBe(403)
    const twice = await exchange(
      local.rpc,
      `GET ${path(1)} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
    )
    expect(twice).toMatch(/^HTTP\/1\.1 400/)
    await local.close()
  })

  it('reads If-None-Match of several lines as one list', async () => {
    const tag = (await send(gateway.rpc, path(1))).headers['etag'] as string
    const lines = [`GET ${path(1)} HTTP/1.1`, 'Host: a', 'If-None-Match: "x"', `If-None-Match: W/${tag}`]
    expect(await exchange(gateway.rpc, [...lines, 'Connection: close', '', ''].join('\r\n'))).toMatch(/^HTTP\/1\.1 304/)
  })

  it('tells the length of a whole answer to HEAD, and of a stream none', async () => {
    const whole = await send(gateway.rpc, path(1))
    const head = await send(gateway.rpc, path(1), { method: 'HEAD' })
    expect([head.body, head.headers['content-length']]).toEqual(['', String(Buffer.byteLength(whole.body))])
    const stream = await send(gateway.rpc, path(1, 'suggestedGasFees/stream'), { method: 'HEAD' })
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } })
    expect(stream.headers['content-length']).toBeUndefined()
  })

  it('reads no body: one that is still coming costs its sender no answer', async () => {
    const connection = rawConnection(gateway.rpc)
    connection.send(`POST ${path(1)} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{`)
    expect(await connection.saw(/"statusCode":405/)).toMatch(/^HTTP\/1\.1 405/)
    connection.socket.destroy()
  })

  it('answers pipelined requests in their order', async () => {
    const connection = rawConnection(gateway.rpc)
    const get = (endpoint: string): string => `GET ${path(1, endpoint)} HTTP/1.1\r\nHost: a\r\n\r\n`
    connection.send(get('baseFeePercentile') + get('nothing') + get('busyThreshold'))
    const text = await connection.saw(/busyThreshold":/)
    expect(text.indexOf('baseFeePercentile"')).toBeLessThan(text.indexOf('"statusCode":404'))
    connection.socket.destroy()
  })
})

describe('a stream of the gas API', () => {
  const open = (url: string) => {
    const connection = rawConnection(url)
    connection.send(`GET ${path(1, 'suggestedGasFees/stream')} HTTP/1.1\r\nHost: a\r\n\r\n`)
    return connection
  }

  it('is refused behind another one on its connection, which would be a place taken for nothing', async () => {
    const before = await startTestGateway([], { networks: networksOf(node.url) })
    const connection = open(before.rpc)
    await connection.saw(/event: suggestedGasFees/)
    connection.send(`GET ${path(1, 'suggestedGasFees/stream')} HTTP/1.1\r\nHost: a\r\n\r\n`)
    let counted = ''
    for (let i = 0; i < 200 && !counted.includes('wayleave_refusals_total{status="503"} 1'); i++) {
      await sleep(20)
      counted = await (await fetch(`${before.admin}/metrics`)).text()
    }
    expect(counted).toContain('wayleave_refusals_total{status="503"} 1')
    expect(counted).toContain(
      'wayleave_gas_answers_total{network="mainnet",endpoint="suggestedGasFees/stream",status="200"} 1',
    )
    connection.socket.destroy()
    await before.close()
  })

  it.each([
    ['behind a call that is not answered yet', `POST /v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: 57\r\n\r\n`],
    ['alone', ''],
  ])('gives its place back when its reader leaves while it waits: %s', async (_how, ahead) => {
    let answering = (): void => {}
    const asked = new Promise<void>((resolve) => (answering = resolve))
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const hung = await startNode(async (request, context) => {
      const isHeld = request.method === 'eth_call' || (ahead === '' && request.method === 'eth_feeHistory')
      if (isHeld) {
        answering()
        await released
      }
      return feeNode.handler(request, context)
    })
    const before = await startTestGateway([], {
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [hung.url], gas } },
      projects: [{ name: 'open', keys: [{ key }] }],
      limits: { maxConnections: 2 },
    })
    const body = ahead === '' ? '' : '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[1]}'
    for (let i = 0; i < 2; i++) {
      if (ahead !== '') expect((await send(before.rpc, path(1))).status).toBe(200)
      const connection = rawConnection(before.rpc)
      connection.send(`${ahead}${body}GET ${path(1, 'suggestedGasFees/stream')} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await asked
      await sleep(50)
      connection.socket.destroy()
      await sleep(50)
    }
    release()
    // The gateway hears a moment later that a connection has ended.
    const opens = async (): Promise<string> => {
      const last = open(before.rpc)
      const answer = await last.saw(/statusCode|event: /).catch(String)
      last.socket.destroy()
      return answer
    }
    await expect.poll(opens).toMatch(/^HTTP\/1\.1 200/)
    await before.close()
    await hung.close()
  })

  it('ends with the gateway, as does one that is asked for meanwhile', async () => {
    const before = await startTestGateway([], { networks: networksOf(node.url) })
    const connection = open(before.rpc)
    await connection.saw(/event: suggestedGasFees/)
    const closing = before.close(60_000)
    connection.send(`GET ${path(1, 'suggestedGasFees/stream')} HTTP/1.1\r\nHost: a\r\n\r\n`)
    const text = await connection.whole()
    expect(text.match(/\r\n0\r\n\r\n/g)!.length).toBeGreaterThanOrEqual(1)
    await closing
  })

  it('is 503 where no node answers', async () => {
    const before = await startTestGateway([], { networks: networksOf(await refusedUrl()) })
    const refused = await send(before.rpc, path(1, 'suggestedGasFees/stream'))
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toMatch(/^\d+$/)
    await before.close()
  })
})
