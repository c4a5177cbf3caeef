import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { type Config, createLog, realSurroundings, type RunningGateway, startGateway } from '@wayleave/gateway'
import { systemClock } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { transact } from './support/chain.ts'
import { basic, gasUrl, get, openEvents } from './support/gas.ts'
import { httpUrl, key } from './support/gateway.ts'
import { ask, post } from './support/http.ts'
import { answer, deadUrl, type HttpScript, refuseWith, reset, startPeer } from './support/peer.ts'
import { secretsIn } from './support/secret-forms.ts'
import { until } from './support/wait.ts'

let node: DevNode

beforeAll(async () => {
  node = await startDevNode()
})

afterAll(() => node.close())

/** Passes calls on to the chain. */
const forward: HttpScript = ({ id, method, params, response }) => {
  void post(node.networks.dev.httpUrl, { jsonrpc: '2.0', id, method, params }).then(({ text }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(text)
  })
}

interface Started {
  readonly gateway: RunningGateway
  /** Puts its clock forward. */
  advance(ms: number): void
  readonly log: () => string
}

async function start(upstreams: readonly string[], config: Partial<Config> = {}): Promise<Started> {
  let ahead = 0
  let written = ''
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    date: () => systemClock.date() + ahead,
  }
  const gas = { maxAgeMs: 30_000, blocksOnDemand: true }
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { dev: { kind: 'evm', chainId: 31337, upstreams, gas } },
      projects: [{ name: 'p', keys: [{ key }] }],
      ...config,
    },
    {
      log: createLog({ level: 'info', destination: { write: (line: string) => void (written += line) } }),
      surroundings: { ...realSurroundings, clock },
    },
  )
  onTestFinished(() => gateway.close())
  return { gateway, advance: (ms) => void (ahead += ms), log: () => written }
}

describe('gas fees without a node', () => {
  it('are the last ones, with their age, up to a limit; then 503; and new again once a node answers', async () => {
    await using peer = await startPeer(forward)
    const { gateway, advance } = await start([peer.httpUrl])
    const fresh = await get(gasUrl(gateway, 31337))
    expect(fresh.status).toBe(200)
    expect(fresh.headers.age).toBeUndefined()
    peer.http = reset
    advance(12_000)
    const stale = await get(gasUrl(gateway, 31337))
    expect({ status: stale.status, text: stale.text }).toEqual({ status: 200, text: fresh.text })
    expect(Number(stale.headers.age)).toBeGreaterThanOrEqual(12)
    expect(stale.headers['cache-control']).toBe('private, no-cache')
    advance(20_000)
    const none = await get(gasUrl(gateway, 31337))
    expect(none.status).toBe(503)
    expect(JSON.parse(none.text)).toMatchObject({
      statusCode: 503,
      message: expect.stringMatching(/3\d s old/) as string,
    })
    expect(Number(none.headers['retry-after'])).toBeGreaterThan(0)
    await transact(node.networks.dev.httpUrl, {})
    peer.http = forward
    let last = 503
    await until('an answer', () => {
      void get(gasUrl(gateway, 31337)).then(({ status }) => (last = status))
      return last === 200
    })
    const again = await get(gasUrl(gateway, 31337))
    expect(again.headers.age).toBeUndefined()
    expect(again.headers['x-block-number']).toBe(
      String(Number(await ask(node.networks.dev.httpUrl, 'eth_blockNumber'))),
    )
  })

  it('are 503 from the start, for streams too, while calls get their own answer', async () => {
    const { gateway } = await start([await deadUrl()])
    for (const endpoint of ['suggestedGasFees', 'baseFeeHistory', 'suggestedGasFees/stream']) {
      const refused = await get(gasUrl(gateway, 31337, endpoint))
      expect(refused.status, endpoint).toBe(503)
      expect(JSON.parse(refused.text)).toMatchObject({ statusCode: 503 })
      expect(refused.headers['retry-after']).toBeDefined()
    }
    expect((await post(httpUrl(gateway), { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status).toBe(502)
  })

  it('are 400 of a chain without EIP-1559, and 503 behind a node that refuses', async () => {
    await using old = await startPeer(({ method, ...call }) => {
      const block = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: '0x1' }
      const result = method === 'eth_chainId' ? '0x7a69' : '0x1'
      answer(method === 'eth_getBlockByNumber' ? block : result)({ method, ...call })
    })
    const { gateway } = await start([old.httpUrl])
    const refused = await get(gasUrl(gateway, 31337))
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('1559') as string,
    })
    await using html = await startPeer(refuseWith(403, '<html>secret-of-the-node</html>'))
    const { gateway: other, log } = await start([html.httpUrl])
    const none = await get(gasUrl(other, 31337))
    expect(none.status).toBe(503)
    expect(`${none.text}${log()}`).not.toContain('secret-of-the-node')
  })

  it('tell no secret of an upstream, nor a key, to anybody or in the log', async () => {
    await using peer = await startPeer(({ request, ...call }) =>
      refuseWith(500, `${request.url} ${JSON.stringify(request.headers)}`)({ request, ...call }),
    )
    const upstream = { user: 'user-4f1c', password: 'password-9d2e', 'path of the URL': 'path-77aa' }
    const [user, password, path] = Object.values(upstream)
    const { gateway, log } = await start([`${peer.httpUrl.replace('//', `//${user}:${password}@`)}/${path}`])
    const replies = await Promise.all([
      get(gasUrl(gateway, 31337)),
      get(gasUrl(gateway, 31337, 'suggestedGasFees/stream')),
      get(`${gateway.rpc}/networks/31337/suggestedGasFees`, { headers: basic(key, '') }),
      get(`${gateway.rpc}/networks/31337/suggestedGasFees`, { headers: basic(key, 'wrong-secret') }),
      get(`${gateway.admin}/metrics`),
    ])
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503, 401, 200])
    expect(log()).toContain('"network":"dev"')
    const reported = `${log()}${replies.map(({ text, headers }) => text + JSON.stringify(headers)).join('')}`
    expect(secretsIn(reported, { ...upstream, key, secret: 'wrong-secret' })).toEqual([])
  })

  it('come from the next upstream where one fails, and the stream goes on', async () => {
    await using peer = await startPeer(forward)
    const { gateway } = await start([peer.httpUrl, node.networks.dev.httpUrl, node.networks.dev.wsUrl])
    await using reader = await openEvents(gasUrl(gateway, 31337, 'suggestedGasFees/stream'))
    await until('the first event', () => reader.events.length === 1)
    peer.http = reset
    const { blockNumber } = await transact(node.networks.dev.httpUrl, {})
    await until('the block', () => reader.events.at(-1)!.id === String(Number(blockNumber)))
    expect(reader.events.length).toBeGreaterThan(1)
  })
})

describe('the store of a gateway', () => {
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'conformance-store-'))
    onTestFinished(() => rm(path, { recursive: true, force: true }))
    return path
  }

  it('keeps the history over a restart, in one file of the data folder', async () => {
    const dataDir = join(await folder(), 'new')
    await using peer = await startPeer(forward)
    for (let i = 0; i < 3; i++) await transact(node.networks.dev.httpUrl, {})
    const first = await start([peer.httpUrl], { dataDir })
    const history = (await get(gasUrl(first.gateway, 31337, 'baseFeeHistory'))).text
    await first.gateway.close()
    expect(JSON.parse(history)).toHaveLength(Number(await ask(node.networks.dev.httpUrl, 'eth_blockNumber')) + 1)
    peer.received.length = 0
    const second = await start([peer.httpUrl], { dataDir })
    expect((await get(gasUrl(second.gateway, 31337, 'baseFeeHistory'))).text).toBe(history)
    // The fees of the head alone are asked for again.
    const asked = peer.received.filter((text) => text.includes('"eth_feeHistory"'))
    expect(asked.map((text) => (JSON.parse(text) as { params: unknown[] }).params[0])).toEqual(['0x1'])
  })

  it('that cannot be opened is a clear error at the start, without credentials', async () => {
    const path = join(await folder(), 'no-database')
    await writeFile(path, 'this is no database, and long enough to be seen as none of SQLite '.repeat(20))
    const refusalOf = (store: NonNullable<Config['store']>): Promise<string> =>
      start(['http://127.0.0.1:1'], { store }).then(
        () => 'it was opened',
        ({ message }: Error) => message,
      )
    expect(await refusalOf({ sqlite: path })).toMatch(
      /^store\.sqlite: expected a store that can be opened, got one that is corrupt/,
    )
    expect(await refusalOf({ sqlite: join(path, 'below', 'a-file') })).toMatch(
      /^store\.sqlite: .*a folder that cannot be made/,
    )
    const { port } = new URL(await deadUrl())
    const server = await refusalOf({ postgres: `postgres://someone:S3CR3T@127.0.0.1:${port}/db` })
    expect(server).toMatch(/^store\.postgres: expected a store that can be opened, got one that is unavailable/)
    expect(server).not.toMatch(/someone|S3CR3T/)
  })
})
