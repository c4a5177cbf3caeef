import { createLog, ListenError, realSurroundings, startGateway } from '@wayleave/gateway'
import { rawJsonFromText, rawJsonFromValue, RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { startPushingNode } from './pushing-node.ts'
import {
  anHour,
  basic,
  exchange,
  frame,
  key,
  post,
  rawConnection,
  refusedUrl,
  rejectionOf,
  secret,
  send,
  sleep,
  startNode,
  startNodeWith,
  startTestGateway,
  reportedBy,
  until,
} from './support.ts'
import { openSocket, upgrade } from './web-socket-client.ts'

const silentLog = createLog({ level: 'silent' })
const listenAnywhere = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
const openSockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length

describe('a start', () => {
  it('tells where it listens and what it serves', async () => {
    const gateway = await startTestGateway(['http://127.0.0.1:1'])
    expect(gateway.rpc).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(gateway.ws).toBe(gateway.rpc.replace('http', 'ws'))
    expect(gateway.admin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(gateway.networks).toEqual({ mainnet: 1, other: 2 })
    await gateway.close()
  })

  it('opens no connection before the first call', async () => {
    const node = await startNode()
    const gateway = await startTestGateway([node.url, node.url.replace('http', 'ws')])
    await sleep(50)
    expect(node.headers).toEqual([])
    await gateway.close()
    await node.close()
  })

  it('on a port in use fails with one sentence, and leaves nothing open', async () => {
    const before = openSockets()
    const owner = await startTestGateway(['http://127.0.0.1:1'])
    const taken = new URL(owner.rpc).host
    const onRpc = await rejectionOf(
      startTestGateway(['http://127.0.0.1:1'], { listen: { rpc: taken, admin: '127.0.0.1:0' } }),
    )
    const onAdmin = await rejectionOf(
      startTestGateway(['http://127.0.0.1:1'], { listen: { rpc: '127.0.0.1:0', admin: taken } }),
    )
    expect(onRpc).toBeInstanceOf(ListenError)
    expect(onRpc.message).toMatch(/^JSON-RPC cannot listen on 127\.0\.0\.1:\d+: the port is in use;/)
    expect(onAdmin.message).toMatch(/^The admin listener cannot listen on 127\.0\.0\.1:\d+: the port is in use;/)
    await owner.close()
    await until(() => openSockets() <= before)
  })

  it('takes the longest waits that a configuration may have without a warning', async () => {
    const longest = 2 ** 31 - 1
    const warnings: string[] = []
    const hear = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', hear)
    const node = await startNode()
    const gateway = await startTestGateway([node.url], {
      limits: {
        requestTimeoutMs: longest,
        readTimeoutMs: longest,
        webSocketPingMs: longest,
        webSocketIdleMs: longest,
      },
    })
    const client = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    expect((await send(gateway.rpc, `/v3/${key}`, { body: frame('a') })).status).toBe(200)
    await client.close()
    await gateway.close()
    await node.close()
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('serves the only network without being told which is the default, and none of several', async () => {
    const node = await startNode()
    const networks = { a: { kind: 'evm', chainId: 1, upstreams: [node.url] } } as const
    const projects = [{ name: 'p', keys: [{ key }] }]
    const one = await startGateway({ listen: listenAnywhere, networks, projects }, { log: silentLog })
    const two = await startGateway(
      { listen: listenAnywhere, networks: { ...networks, b: networks.a }, projects },
      { log: silentLog },
    )
    expect((await send(one.rpc, `/v3/${key}`, { body: frame('eth_chainId') })).status).toBe(200)
    const answer = await send(two.rpc, `/v3/${key}`, { body: frame('eth_chainId') })
    expect([answer.status, reportedBy(answer)]).toEqual([
      404,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32002, message: 'no network was named; use /<network>/v3/<key> or its host' },
      },
    ])
    await Promise.all([one.close(), two.close()])
    await node.close()
  })

  it('denies methods that reach into a node unless told otherwise', async () => {
    const node = await startNode()
    const byDefault = await startTestGateway([node.url])
    const none = await startTestGateway([node.url], { methods: { denyByDefault: false } })
    for (const method of ['admin_peers', 'personal_sign', 'engine_newPayloadV3', 'debug_setHead']) {
      const denied = await send(byDefault.rpc, `/v3/${key}`, { body: frame(method) })
      expect(JSON.parse(denied.body).error.code).toBe(-32601)
      expect(JSON.parse((await send(none.rpc, `/v3/${key}`, { body: frame(method) })).body).result.method).toBe(method)
    }
    await Promise.all([byDefault.close(), none.close()])
    await node.close()
  })
})

describe('a rollup', () => {
  const block = { hash: `0x${'ab'.repeat(32)}`, number: 7, parentHash: `0x${'ab'.repeat(32)}`, timestamp: 9 }
  const l2 = { ...block, l1origin: { hash: block.hash, number: 1 }, sequenceNumber: 0 }
  const status = {
    current_l1: block,
    head_l1: block,
    safe_l1: block,
    finalized_l1: block,
    unsafe_l2: l2,
    safe_l2: l2,
    finalized_l2: l2,
  }
  const notFound = { error: { code: -32601, message: 'the method does not exist' } }

  it('derives rollup_getInfo from its rollup node, by URL or in this process', async () => {
    const node = await startNode(async ({ method }) =>
      method === 'eth_syncing' ? { result: rawJsonFromText('false') } : notFound,
    )
    const rollupNode = await startNode(async () => ({ result: rawJsonFromValue(status) }))
    const networks = {
      r: { kind: 'rollup', chainId: 10, upstreams: [node.url], rollupNode: rollupNode.url, rollupMode: 'sequencer' },
    } as const
    const projects = [{ name: 'p', keys: [{ key }] }]
    const byUrl = await startGateway({ listen: listenAnywhere, networks, projects }, { log: silentLog })
    const inProcess = await startGateway(
      { listen: listenAnywhere, networks, projects },
      {
        log: silentLog,
        rollupNodes: { r: async () => ({ result: rawJsonFromValue({ ...status, unsafe_l2: { ...l2, number: 8 } }) }) },
      },
    )
    const info = async (gateway: typeof byUrl) =>
      JSON.parse((await send(gateway.rpc, `/v3/${key}`, { body: frame('rollup_getInfo') })).body).result
    expect(await info(byUrl)).toMatchObject({ mode: 'sequencer', syncing: false, rollupContext: { index: 7 } })
    expect(await info(inProcess)).toMatchObject({ rollupContext: { index: 8 } })
    await Promise.all([byUrl.close(), inProcess.close()])
    await Promise.all([node.close(), rollupNode.close()])
  })

  it('whose rollup node is down is an outage', async () => {
    const node = await startNode(async () => notFound)
    const networks = {
      r: { kind: 'rollup', chainId: 10, upstreams: [node.url], rollupNode: await refusedUrl() },
    } as const
    const gateway = await startGateway(
      { listen: listenAnywhere, networks, projects: [{ name: 'p', keys: [{ key }] }] },
      { log: silentLog },
    )
    expect((await send(gateway.rpc, `/v3/${key}`, { body: frame('rollup_getInfo') })).status).toBe(502)
    await gateway.close()
    await node.close()
  })
})

describe('close', () => {
  it('lets a call in flight finish, and then does not wait for its connection', async () => {
    let finish = (): void => {}
    const node = await startNode(
      () => new Promise((resolve) => (finish = () => resolve({ result: rawJsonFromText('1') }))),
    )
    const gateway = await startTestGateway([node.url])
    const connection = rawConnection(gateway.rpc)
    connection.send(post(`/v3/${key}`, frame('a'), ['Host: a']))
    await until(() => node.calls.length === 1)
    const closing = gateway.close(anHour)
    finish()
    await closing
    expect(connection.text).toContain('"result":1')
    connection.socket.destroy()
    await node.close()
  })

  it('is told by /readyz, on connections that are still served and on the admin listener, which ends last', async () => {
    let finish = (): void => {}
    const node = await startNode(async ({ method }) => {
      if (method === 'a') await new Promise<void>((resolve) => (finish = resolve))
      return { result: rawJsonFromText('"0x1"') }
    })
    const gateway = await startTestGateway([node.url])
    expect((await send(gateway.rpc, '/readyz')).status).toBe(200)
    const connection = rawConnection(gateway.rpc)
    connection.send(post(`/v3/${key}`, frame('a'), ['Host: a']))
    await until(() => node.calls.includes('a'))
    const closing = gateway.close(anHour)
    connection.send('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(await send(gateway.admin, '/readyz')).toMatchObject({ status: 503, body: 'draining\n' })
    expect((await send(gateway.admin, '/healthz')).status).toBe(200)
    expect(JSON.parse((await send(gateway.admin, '/status')).body).phase).toBe('draining')
    finish()
    expect(await connection.saw(/draining/)).toMatch(/"result":"0x1".*HTTP\/1\.1 503 .*draining\n$/s)
    connection.socket.destroy()
    await closing
    await expect(send(gateway.admin, '/healthz')).rejects.toThrow(/ECONNREFUSED/)
    await node.close()
  })

  it('ends a call in flight after the grace, also at the upstream', async () => {
    const node = await startNodeWith((_request, _response, calls) => void calls.push('call'))
    const gateway = await startTestGateway([node.url])
    const connection = rawConnection(gateway.rpc)
    connection.send(post(`/v3/${key}`, frame('a'), ['Host: a']))
    await until(() => node.calls.length === 1)
    await gateway.close(100)
    await until(() => connection.ended && node.cut === 1)
    await node.close()
  })

  it('is not held up by a refused client that keeps its half of the connection', async () => {
    const gateway = await startTestGateway(['http://127.0.0.1:1'])
    const connection = rawConnection(gateway.rpc)
    connection.send(upgrade('/ws/v3/nobody'))
    await connection.saw(/401 Unauthorized/)
    await gateway.close(0)
    connection.socket.destroy()
  })

  it('leaves no socket open', async () => {
    const before = openSockets()
    const node = await startNode()
    const pushing = await startPushingNode()
    const gateway = await startTestGateway([node.url, pushing.url])
    const client = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    client.send(frame('eth_subscribe', ['newHeads']))
    await client.next()
    const idle = rawConnection(gateway.rpc)
    for (let i = 0; i < 20; i++) await send(gateway.rpc, `/v3/${key}`, { body: frame('a', [i]) })
    await gateway.close()
    await until(() => idle.ended)
    idle.socket.destroy()
    await node.close()
    await pushing.close()
    await until(() => openSockets() <= before)
  })

  it('does not wait for a connection that has sent nothing', async () => {
    const gateway = await startTestGateway(['http://127.0.0.1:1'], { limits: { readTimeoutMs: anHour } })
    const idle = rawConnection(gateway.rpc)
    await new Promise((resolve) => idle.socket.once('connect', resolve))
    await gateway.close(anHour)
    idle.socket.destroy()
  })

  it('happens at the end of its scope', async () => {
    let url: string
    {
      await using gateway = await startTestGateway(['http://127.0.0.1:1'])
      url = gateway.rpc
    }
    await expect(send(url, '/healthz')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('may come twice, and the second does not cut what the first lets finish', async () => {
    const answers: (() => void)[] = []
    const node = await startNode(
      () => new Promise((resolve) => answers.push(() => resolve({ result: rawJsonFromValue('done') }))),
    )
    const gateway = await startTestGateway([node.url])
    const answer = send(gateway.rpc, `/v3/${key}`, { body: frame('a') })
    await until(() => answers.length === 1)
    const closing = Promise.all([gateway.close(), gateway.close()])
    await sleep(50)
    answers[0]!()
    expect((await answer).body).toBe('{"jsonrpc":"2.0","id":1,"result":"done"}')
    await closing
    await gateway.close()
    await node.close()
  })

  it('that is called again with less patience ends calls then', async () => {
    const node = await startNode(() => new Promise(() => {}))
    const gateway = await startTestGateway([node.url])
    const answer = rejectionOf(send(gateway.rpc, `/v3/${key}`, { body: frame('a') }))
    await until(() => node.calls.length === 1)
    const closing = gateway.close(60_000)
    await gateway.close(1)
    await closing
    expect((await answer).message).toMatch(/hang up|ECONNRESET/)
    await node.close()
  })
})

describe('the log', () => {
  it('tells of failures by names, codes and trace ids, and of no URL, key, secret, header or body', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
    const odd = await startNodeWith((_request, response) => response.end('<html>up-b0dy</html>'))
    const credentials = (url: string): string => `${url.replace('//', '//us3r:p4ss@')}/up-k3y`
    const upstreams = [
      credentials(await refusedUrl()),
      credentials((await refusedUrl()).replace('http', 'ws')),
      credentials(odd.url),
    ]
    const bug = new TypeError('a bug', { cause: new RpcError('connect', 'inner') })
    const gateway = await startTestGateway(
      upstreams,
      {
        networks: {
          mainnet: { kind: 'evm', chainId: 1, upstreams },
          rollup: { kind: 'rollup', chainId: 2, upstreams: [odd.url] },
        },
        projects: [{ name: 'p', keys: [{ key, secret }] }],
      },
      { log, rollupNodes: { rollup: () => Promise.reject(bug) } },
    )
    const authorization = basic('', secret)
    await send(gateway.rpc, `/v3/${key}?q=qu3ry`, {
      body: frame('eth_chainId', ['par4ms']),
      headers: { authorization, origin: 'https://or1gin' },
    })
    await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_sendRawTransaction', ['0xpar4ms']) })
    await send(gateway.rpc, `/v3/${key}`, { body: '{par4ms', headers: { authorization: basic('', 'wr0ng') } })
    await send(gateway.rpc, '/v3/unkn0wn', { body: frame('a') })
    await send(gateway.rpc, '/readyz')
    await exchange(gateway.rpc, upgrade('/ws/v3/unkn0wn'))
    const client = await openSocket(`${gateway.ws}/ws/v3/${key}`, { authorization })
    client.send(frame('eth_chainId', ['par4ms']))
    await client.next()
    await client.close()
    await gateway.close()
    await odd.close()
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: 'the gateway serves',
      networks: { mainnet: 1, rollup: 2 },
      rpc: gateway.rpc.replace('http://', ''),
      admin: gateway.admin.replace('http://', ''),
      tls: false,
      store: 'memory',
      redis: false,
      projects: 1,
    })
    // The first line tells the listeners.
    const text = lines.slice(1).join('')
    expect(lines[0]).not.toMatch(/us3r|p4ss|up-k3y|https?:|wss?:/)
    expect(text).toMatch(
      /"network":"mainnet","address":"127\.0\.0\.1","key":"[\da-f]{8}","reason":"unknown_key","msg":"a key/,
    )
    expect(lines.length).toBeGreaterThan(4)
    expect(text).toContain('"network":"mainnet","endpoint":"upstream-1","failure":"unreachable","code":"connect"')
    const others = text.replaceAll('"address":"127.0.0.1"', '')
    expect(others).not.toMatch(/us3r|p4ss|up-k3y|b0dy|qu3ry|par4ms|or1gin|wr0ng|unkn0wn|127\.0\.0\.1|https?:|wss?:/)
    for (const hidden of [key, secret, authorization, Buffer.from('us3r:p4ss').toString('base64')])
      expect(text).not.toContain(hidden)
  })

  it('tells of a bug under the trace id that the caller was given, and the caller nothing', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
    const node = await startNode(async () => ({ error: { code: -32601, message: 'no' } }))
    const networks = { r: { kind: 'rollup', chainId: 1, upstreams: [node.url] } } as const
    const gateway = await startGateway(
      { listen: listenAnywhere, networks, projects: [{ name: 'p', keys: [{ key }] }] },
      { log, rollupNodes: { r: () => Promise.reject(new TypeError('the details of a bug')) } },
    )
    const answer = await send(gateway.rpc, `/v3/${key}`, { body: frame('rollup_getInfo') })
    expect([answer.status, reportedBy(answer)]).toEqual([
      503,
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'internal error' } },
    ])
    const reported = lines.map((line) => JSON.parse(line) as { err?: unknown }).find(({ err }) => err !== undefined)
    expect(reported).toMatchObject({
      traceId: answer.headers['x-trace-id'],
      network: 'r',
      err: { type: 'TypeError', message: 'the details of a bug' },
    })
    await gateway.close()
    await node.close()
  })

  it('tells why a call over HTTP failed under the trace id that the caller was given', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
    const gateway = await startTestGateway([await refusedUrl()], {}, { log })
    const answer = await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_chainId') })
    expect(answer.status).toBe(502)
    expect(lines.join('')).toContain(String(answer.headers['x-trace-id']))
    await gateway.close()
  })

  it('tells why a call over WebSocket failed under the trace id of its connection, with its number', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
    const traceIds = ['first', 'second']
    const surroundings = { ...realSurroundings, newTraceId: () => traceIds.shift()! }
    const gateway = await startTestGateway([await refusedUrl()], {}, { log, surroundings })
    const client = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    client.send(frame('eth_chainId'))
    await client.next()
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ traceId: 'first.1', network: 'mainnet', code: 'connect' }),
    )
    await client.close()
    await gateway.close()
  })
})

describe('identical reads in flight', () => {
  it('become one call, and writes do not', async () => {
    const waiting: (() => void)[] = []
    const node = await startNode(async ({ method }) => {
      if (method === 'eth_chainId') await new Promise<void>((resolve) => waiting.push(resolve))
      return { result: rawJsonFromText('"0x1"') }
    })
    const gateway = await startTestGateway([node.url])
    const ask = (body: string) => send(gateway.rpc, `/v3/${key}`, { body })
    const asked = Array.from({ length: 5 }, (_, id) => ask(frame('eth_chainId', [], id)))
    await until(() => waiting.length > 0)
    // An answer to a call sent after them shows that they have been heard.
    await ask(frame('eth_gasPrice'))
    for (const answer of waiting) answer()
    await Promise.all(asked)
    await Promise.all(Array.from({ length: 3 }, (_, id) => ask(frame('eth_sendRawTransaction', ['0x'], id))))
    await Promise.all(Array.from({ length: 2 }, (_, id) => ask(frame('unknown_method', [], id))))
    const count = (method: string): number => node.calls.filter((name) => name === method).length
    expect([count('eth_chainId'), count('eth_sendRawTransaction'), count('unknown_method')]).toEqual([1, 3, 2])
    await gateway.close()
    await node.close()
  })

  it('become one call to the rollup node, too', async () => {
    const waiting: (() => void)[] = []
    const gateway = await startTestGateway(
      ['http://127.0.0.1:1'],
      {
        networks: { mainnet: { kind: 'rollup', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
        projects: [{ name: 'p', keys: [{ key }] }],
      },
      {
        rollupNodes: {
          async mainnet() {
            await new Promise<void>((resolve) => waiting.push(resolve))
            return { result: rawJsonFromValue('synced') }
          },
        },
      },
    )
    const ask = () => send(gateway.rpc, `/v3/${key}`, { body: frame('optimism_syncStatus') })
    const asked = Array.from({ length: 5 }, ask)
    await until(() => waiting.length > 0)
    await send(gateway.rpc, '/healthz')
    await send(gateway.rpc, '/healthz')
    for (const answer of waiting) answer()
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['{"jsonrpc":"2.0","id":1,"result":"synced"}']))
    expect(waiting).toHaveLength(1)
    await gateway.close()
  })

  it('share an answer as long as one that is held whole may be', async () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":"${'a'.repeat(33 * 1024 * 1024)}"}`
    let answer = (): void => {}
    const node = await startNodeWith((_request, response) => (answer = () => response.end(text)))
    const gateway = await startTestGateway([node.url])
    const ask = () => send(gateway.rpc, `/v3/${key}`, { body: frame('eth_getBlockByNumber', ['latest', true]) })
    const asked = [ask(), ask()]
    await until(() => node.headers.length > 0)
    await send(gateway.rpc, '/healthz')
    await send(gateway.rpc, '/healthz')
    answer()
    const lengths = (await Promise.all(asked)).map(({ body }) => body.length)
    expect(lengths).toEqual([text.length, text.length])
    expect(node.headers).toHaveLength(1)
    await gateway.close()
    await node.close()
  })
})
