import type { Config, RunningGateway, UpstreamConfig, Explanation } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FixedLimits } from '../../src/config/limits.ts'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import {
  type Answer,
  frame,
  key,
  rawConnection,
  refusedUrl,
  send,
  startNodeWith,
  startTestGateway,
  withFixed,
  until,
} from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const height = 500

interface Scene {
  readonly gateway: RunningGateway
  /** Named `a` and `b`. */
  readonly nodes: readonly [ChainNode, ChainNode]
  ask(method: string, params?: readonly unknown[], headers?: Record<string, string>): Promise<Answer>
}

interface SceneOptions {
  readonly config?: Partial<Config>
  readonly network?: object
  readonly fixed?: Partial<FixedLimits>
  /** Members of each upstream; as many as there are. Default: one, `a`. */
  readonly upstreams?: readonly Partial<UpstreamConfig>[]
}

async function begin({ config, network, fixed = {}, upstreams = [{}] }: SceneOptions): Promise<Scene> {
  const chain = testChain(height)
  const nodes = [await startChainNode(chain, 1), await startChainNode(chain, 2)] as const
  for (const node of nodes) onTestFinished(() => node.close())
  const named = upstreams.map((members, i) => ({ name: 'ab'[i]!, url: nodes[i]!.url, ...members }))
  const mainnet = { kind: 'evm', chainId: 1, upstreams: named, ...network } as const
  const gateway = await startTestGateway([], { ...config, networks: { mainnet } }, withFixed(fixed))
  onTestFinished(() => gateway.close(0))
  return {
    gateway,
    nodes,
    ask: (method, params = [], headers = {}) =>
      send(gateway.rpc, `/v3/${key}`, { body: frame(method, params), headers }),
  }
}

const idOf = ({ headers }: Answer): string => headers['x-trace-id'] as string

async function explain({ gateway }: Pick<Scene, 'gateway'>, id: string): Promise<readonly Explanation[]> {
  const { status, body } = await send(gateway.admin, `/explain/${id}`)
  expect([status, body]).toEqual([200, expect.stringContaining('"calls"')])
  return (JSON.parse(body) as { calls: readonly Explanation[] }).calls
}

/** The words to read: the cause, and why upstreams were left alone. */
const readable = ({ cause, candidates }: Explanation): string =>
  [cause, ...candidates.map(({ text }) => text)].join('\n')

const two = [{}, {}]
const projects = (more: object): NonNullable<Config['projects']> => [{ name: 'open', keys: [{ key }], ...more }]
const hang = (): 'hang' => 'hang'

interface Fault extends SceneOptions {
  readonly name: string
  /** Brings it about, and gives the trace id of the bad call. */
  readonly run: (scene: Scene) => Promise<string>
  readonly outcome: Explanation['outcome']
  readonly cause: RegExp
}

/** Asks once, after `spoil`. */
const once =
  (spoil: (nodes: Scene['nodes']) => void, method = 'eth_gasPrice', params: readonly unknown[] = []) =>
  async (scene: Scene): Promise<string> => {
    spoil(scene.nodes)
    return idOf(await scene.ask(method, params))
  }

const faults: readonly Fault[] = [
  {
    name: 'a node that hangs',
    network: { timeouts: { default: 1_500 } },
    run: once(([a]) => (a.answer = hang)),
    outcome: 'failed',
    cause: /no upstream answered: 1 timed out; a did not answer in time after 1\.\d s/,
  },
  {
    name: 'a node that refuses connections',
    upstreams: [{ url: await refusedUrl() }],
    run: once(() => {}),
    outcome: 'failed',
    cause: /1 unreachable; a could not be reached/,
  },
  {
    name: 'a node that lies',
    network: { verify: 'consistent' },
    run: once(
      ([a]) => (a.answer = () => ({ result: { ...testChain(height).block(7), gasUsed: '0x1' } })),
      'eth_getBlockByNumber',
      ['0x7', false],
    ),
    outcome: 'failed',
    cause: /does not verify|answer that verifies.*a gave an answer that verification refuted/s,
  },
  {
    name: 'a node that is behind, beside one that is dead',
    upstreams: two,
    network: { followHeads: true },
    async run({ nodes, ask }) {
      nodes[1].lag = 200
      await until2(async () => (await ask('eth_blockNumber')).body.includes('0x1f4'))
      nodes[0].answer = (method) => (method === 'eth_gasPrice' ? 'cut' : undefined)
      return idOf(await ask('eth_gasPrice'))
    },
    outcome: 'failed',
    cause: /a could not be reached.*b is behind the others/s,
  },
  {
    name: 'a node of another chain',
    network: { followHeads: true },
    run: once(([a]) => (a.chain = testChain(height, { id: 5, genesis: 5 }))),
    outcome: 'failed',
    cause: /a is a node of another chain/,
  },
  {
    name: 'a circuit breaker that is open',
    upstreams: two,
    async run({ nodes, ask }) {
      nodes[0].refuse = () => ({ status: 500, headers: {} })
      for (let i = 0; i < 40; i++) await ask('eth_gasPrice', [i])
      nodes[1].answer = () => 'cut'
      return idOf(await ask('eth_gasPrice'))
    },
    outcome: 'failed',
    cause: /a failed often, so that its circuit breaker is open/,
  },
  {
    name: 'a provider that limits our rate',
    run: once(([a]) => (a.refuse = () => ({ status: 429, headers: { 'retry-after': '9' } }))),
    outcome: 'failed',
    cause: /1 rate limited; a limited the rate of our key/,
  },
  {
    name: "the caller's rate",
    config: { plans: { small: { perSecond: { credits: 1, burst: 1 } } }, projects: projects({ plan: 'small' }) },
    async run({ ask }) {
      for (let i = 0; i < 3; i++) await ask('eth_gasPrice')
      return idOf(await ask('eth_gasPrice'))
    },
    outcome: 'refused',
    cause: /the rate of the project, 1 credits a second, is exceeded/,
  },
  {
    name: "the caller's quota of a day",
    config: { plans: { small: { perDay: { credits: 1 } } }, projects: projects({ plan: 'small' }) },
    async run({ ask }) {
      await ask('eth_gasPrice')
      return idOf(await ask('eth_gasPrice'))
    },
    outcome: 'refused',
    cause: /the quota of the project, 1 credits a day, is spent/,
  },
  {
    name: 'a method that is denied',
    run: once(() => {}, 'admin_peers'),
    outcome: 'refused',
    cause: /methods\.deny/,
  },
  {
    name: 'an allowlist of addresses',
    config: { projects: projects({ rules: { addresses: [`0x${'ab'.repeat(20)}`] } }) },
    run: once(() => {}, 'eth_getBalance', [`0x${'cd'.repeat(20)}`, 'latest']),
    outcome: 'refused',
    cause: /the project open does not allow it: an address of the call/,
  },
  {
    name: 'a queue that is full',
    config: { limits: { maxUpstreamCalls: 1 } },
    fixed: { maxQueueMs: 100 },
    async run({ nodes, ask, gateway }) {
      nodes[0].answer = hang
      const first = rawConnection(gateway.rpc)
      const body = frame('eth_gasPrice', ['first'])
      first.send(`POST /v3/${key} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      await until(() => nodes[0].calls.length > 0)
      return idOf(await ask('eth_gasPrice', ['second']))
    },
    outcome: 'failed',
    cause: /no upstream has room for this call \(limits\.maxUpstreamCalls/,
  },
  {
    name: 'a caller who leaves',
    async run(scene) {
      scene.nodes[0].answer = hang
      const connection = rawConnection(scene.gateway.rpc)
      const body = frame('eth_gasPrice')
      connection.send(`POST /v3/${key} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      await until(() => scene.nodes[0].calls.length > 0)
      connection.socket.destroy()
      return lastId(scene)
    },
    outcome: 'cancelled',
    cause: /the caller closed the connection after .*, while a had not answered/,
  },
  {
    name: 'a body that is too large',
    config: { limits: { maxBodyBytes: 1_000 } },
    run: once(() => {}, 'eth_gasPrice', ['x'.repeat(2_000)]),
    outcome: 'refused',
    cause: /HTTP status 413 .*content length too large \(more than 1000\)/,
  },
  {
    name: 'a batch that is too large',
    config: { limits: { maxBatch: 2 } },
    run: async ({ gateway }) =>
      idOf(await send(gateway.rpc, `/v3/${key}`, { body: `[${Array(3).fill(frame('eth_gasPrice')).join(',')}]` })),
    outcome: 'refused',
    cause: /batch too large/,
  },
  {
    name: 'a hedge that wins',
    upstreams: two,
    run: once(([a]) => (a.answer = (method) => (method === 'eth_gasPrice' ? 'hang' : undefined))),
    outcome: 'answered',
    cause: /answered by b after .*: a was silent, so that another one was asked beside it/,
  },
  {
    name: 'a connection that breaks',
    upstreams: two,
    run: once(([a]) => (a.answer = (method) => (method === 'eth_gasPrice' ? 'cut' : undefined))),
    outcome: 'answered',
    cause: /answered by b after .*: a could not be reached, or the connection broke/,
  },
  {
    name: 'a method that no node has',
    run: once(
      ([a]) => (a.answer = () => ({ error: { code: -32601, message: 'no such thing as 0x1234' } })),
      'eth_strange',
    ),
    outcome: 'node_error',
    cause: /a answered with an error of its own, -32601: no such thing as … after .*a does not have the method/,
  },
  {
    name: 'a range of logs that is too long',
    config: { limits: { maxLogBlocks: 100 } },
    network: { followHeads: true },
    async run({ ask }) {
      await until2(async () => (await ask('eth_blockNumber')).status === 200)
      return idOf(await ask('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1f0' }]))
    },
    outcome: 'refused',
    cause: /range 496 exceeds limit of 100/,
  },
  {
    name: 'no node with the state of an old block',
    run: once(
      ([a]) =>
        (a.answer = () => ({
          error: { code: -32000, message: 'missing trie node 0xabcdef (path ) state is not available' },
        })),
      'eth_getBalance',
      [`0x${'cd'.repeat(20)}`, '0x1'],
    ),
    outcome: 'node_error',
    cause: /a no longer has the state of so old a block/,
  },
  {
    name: 'an unknown key',
    run: async ({ gateway }) => idOf(await send(gateway.rpc, '/v3/nobody', { body: frame('eth_gasPrice') })),
    outcome: 'refused',
    cause: /HTTP status 401 .*invalid project id/,
  },
  {
    name: 'an upstream that is cordoned',
    async run({ gateway, ask }) {
      await send(gateway.admin, '/upstreams/cordon?network=mainnet&upstream=a&why=new+disk', { method: 'POST' })
      return idOf(await ask('eth_gasPrice'))
    },
    outcome: 'failed',
    cause: /a is cordoned by an operator: new disk/,
  },
]

/** Waits until a question is answered so. */
async function until2(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it never came true')
}

/** The id of the last call that went badly, for a caller who was told none. */
async function lastId({ gateway }: Pick<Scene, 'gateway'>): Promise<string> {
  let found: string | undefined
  await until2(async () => {
    const { calls } = JSON.parse((await send(gateway.admin, '/explain')).body) as { calls: Explanation[] }
    found = calls[0]?.id
    return found !== undefined
  })
  return found!
}

describe('the cause of a bad call', () => {
  it.each(faults)('is told of $name', async ({ run, outcome, cause, ...options }) => {
    const scene = await begin(options)
    const id = await run(scene)
    const [call, ...others] = await explain(scene, id)
    expect(others).toEqual([])
    expect(readable(call!)).toMatch(cause)
    expect(call!.outcome).toBe(outcome)
    // Neither the key, nor params, nor words of a node, nor an address of one.
    const text = JSON.stringify(call)
    for (const secret of [key, 'cd'.repeat(20), '0x1234', '0xabcdef', 'http://', '127.0.0.1']) {
      expect(text).not.toContain(secret)
    }
    const { body } = await send(scene.gateway.admin, '/explain')
    expect((JSON.parse(body) as { calls: Explanation[] }).calls.map((each) => each.id)).toContain(id)
  })
})

it('is told of each call of a batch, under an id of its own', async () => {
  const scene = await begin({ network: { timeouts: { default: 1_000 } } })
  scene.nodes[0].answer = (method) => (method === 'eth_syncing' ? 'cut' : undefined)
  const body = `[${frame('eth_gasPrice')},${frame('eth_syncing')},${frame('admin_peers')}]`
  const answer = await send(scene.gateway.rpc, `/v3/${key}`, { body })
  const id = idOf(answer)
  const reported = JSON.parse(answer.body) as { error?: { data: { traceId: string } } }[]
  expect(reported.map(({ error }) => error?.data.traceId)).toEqual([undefined, `${id}.2`, `${id}.3`])
  const calls = (await explain(scene, id)).map((call) => [call.id, call.method, call.outcome])
  expect(calls.toSorted()).toEqual([
    [`${id}.1`, 'eth_gasPrice', 'answered'],
    [`${id}.2`, 'eth_syncing', 'failed'],
    [`${id}.3`, 'admin_peers', 'refused'],
  ])
  expect((await explain(scene, `${id}.2`)).map(({ method }) => method)).toEqual(['eth_syncing'])
})

it('is told of each call over a WebSocket, and of one in a batch there', async () => {
  const scene = await begin({})
  const socket = await openSocket(`${scene.gateway.ws}/ws/v3/${key}`)
  const ids: unknown[] = []
  for (const text of [frame('admin_peers'), frame('admin_peers'), `[${frame('admin_peers')}]`, 'no json']) {
    socket.send(text)
    const reported = [await socket.next()].flat() as { error: { data: { traceId: string } } }[]
    ids.push(reported[0]!.error.data.traceId)
  }
  const [first] = (ids[0] as string).split('.')
  expect(ids).toEqual([`${first}.1`, `${first}.2`, `${first}.3.1`, `${first}.4`])
  const calls = await explain(scene, first!)
  expect(calls.map((call) => call.id).toSorted()).toEqual(ids)
  expect(calls.find((call) => call.id === `${first}.4`)!.cause).toMatch(/parse error/)
  await socket.close()
})

it('is told of callers who share an answer: to each what the first one met', async () => {
  const scene = await begin({ upstreams: two })
  scene.nodes[0].answer = (method) => (method === 'eth_gasPrice' ? 'hang' : undefined)
  const answers = await Promise.all([scene.ask('eth_gasPrice'), scene.ask('eth_gasPrice')])
  const reported = (await Promise.all(answers.map((answer) => explain(scene, idOf(answer))))).flat()
  expect(reported.map(({ attempts }) => attempts.map(({ upstream }) => upstream))).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
  const shared = reported.filter(({ sharedWith }) => sharedWith !== undefined)
  expect(shared.map(({ sharedWith }) => sharedWith)).toEqual([
    reported.find((each) => each.sharedWith === undefined)!.id,
  ])
})

it('is told of an answer that breaks off when its status was sent', async () => {
  const node = await startNodeWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(600_000)}`)
    setTimeout(() => response.destroy(), 100)
  })
  onTestFinished(() => node.close())
  const scene = await begin({ upstreams: [{ url: node.url }] })
  const connection = rawConnection(scene.gateway.rpc)
  const body = frame('eth_gasPrice')
  connection.send(`POST /v3/${key} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const [, id] = /X-Trace-Id: (\S+)/.exec(await connection.whole())!
  expect(await explain(scene, id!)).toMatchObject([
    {
      id,
      outcome: 'failed',
      cause: expect.stringMatching(/^the answer broke off: .*; a could not be reached, or the connection broke/),
    },
  ])
})

it('holds no more than the name of a method that a caller made up, in 64 characters', async () => {
  const scene = await begin({})
  const id = idOf(await scene.ask('x'.repeat(100_000)))
  expect((await explain(scene, id)).map(({ method }) => method)).toEqual(['x'.repeat(64)])
})

it('keeps failures while one caller has thousands of calls refused', async () => {
  const scene = await begin({})
  scene.nodes[0].answer = (method) => (method === 'eth_syncing' ? 'cut' : undefined)
  const id = idOf(await scene.ask('eth_syncing'))
  const body = `[${Array(900).fill(frame('admin_peers')).join(',')}]`
  for (let i = 0; i < 5; i++) await send(scene.gateway.rpc, `/v3/${key}`, { body })
  expect(await explain(scene, id)).toMatchObject([{ id, outcome: 'failed' }])
})

it('is told to a token of the scope read alone, and of ids that are known', async () => {
  const scene = await begin({ config: { admin: { token: 'a-token-of-the-admin' } } })
  const headers = { authorization: 'Bearer a-token-of-the-admin' }
  const ask = async (path: string, of: Record<string, string> = headers) =>
    (await send(scene.gateway.admin, path, { headers: of })).status
  expect(await ask('/explain', {})).toBe(401)
  expect(await ask('/explain')).toBe(200)
  expect(await ask(`/explain/${'0'.repeat(32)}`)).toBe(404)
  expect(await ask('/explain/..%2fstatus')).toBe(400)
  expect(await ask(`/explain/${'f'.repeat(70)}`)).toBe(400)
})
