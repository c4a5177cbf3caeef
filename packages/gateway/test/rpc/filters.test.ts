import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import {
  createContext,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createCandidate, createFairShare, createPool, createSelection, createUpstreamHealth } from '@wayleave/upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { evmFilters } from '../../src/networks/evm-filters.ts'
import { type SharedFilter, type SharedFilters, stickyFilters } from '../../src/rpc/filters.ts'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { call, frame, send, startTestGateway, toldBy } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const notFound = { code: -32000, message: 'filter not found' }

interface Filters {
  readonly node: ChainNode
  /** The params of filters that it keeps, by its own ids: it counts from 0, as anvil does. */
  readonly kept: Map<string, readonly unknown[]>
}

/** Has a node keep filters. The changes of a filter are its own name, and its params. */
function keepFilters(node: ChainNode, name: string): Filters {
  const kept = new Map<string, readonly unknown[]>()
  let next = 0
  node.answer = (method, params): NodeAnswer | undefined => {
    const id = params[0] as string
    switch (method) {
      case 'eth_newFilter':
      case 'eth_newBlockFilter':
        kept.set(`0x${next.toString(16)}`, params)
        return { result: `0x${(next++).toString(16)}` }
      case 'eth_getFilterChanges':
      case 'eth_getFilterLogs':
        return kept.has(id) ? { result: [name, ...kept.get(id)!] } : { error: notFound }
      case 'eth_uninstallFilter':
        return { result: kept.delete(id) }
      default:
        return undefined
    }
  }
  return { node, kept }
}

/** The result of `eth_getFilterChanges` and `eth_getFilterLogs` is a list, of the other calls a text. */
type Ask = <Method extends string>(
  method: Method,
  params?: readonly unknown[],
) => Promise<{
  result: Method extends `eth_get${string}` ? unknown[] : string
  error?: { code: number; message: string }
}>

interface Scene {
  readonly a: Filters
  readonly b: Filters
  readonly gateway: RunningGateway
  readonly ask: Ask
  readonly askAs: (key: string) => Ask
}

/** Two nodes that keep filters, and callers that are spread over them. */
async function begin(config: Partial<Config> = {}, count = 2): Promise<Scene> {
  const chain = testChain(500)
  const nodes = await Promise.all(['a', 'b'].map((_name, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  const [a, b] = nodes.map((node, i) => keepFilters(node, 'ab'[i]!)) as [Filters, Filters]
  const upstreams = nodes.slice(0, count).map(({ url }, i) => ({ name: 'ab'[i]!, url }))
  const gateway = await startTestGateway(
    [],
    {
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } },
      projects: [
        { name: 'one', keys: [{ key: 'one' }, { key: 'one-too' }] },
        { name: 'two', keys: [{ key: 'two' }] },
      ],
      ...config,
    },
    { surroundings: realSurroundings },
  )
  onTestFinished(() => gateway.close(0))
  const askAs =
    (key: string): Ask =>
    async (method, params = []) => {
      const answer = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
      // A node's errors have no trace id.
      return answer.body.includes('"traceId"') ? toldBy(answer) : JSON.parse(answer.body)
    }
  return { a, b, gateway, ask: askAs('one'), askAs }
}

/** Opens filters until each node keeps one; gives the ids by the node's name. */
async function openAtBoth({ ask, a, b }: Scene): Promise<Record<'a' | 'b', string>> {
  const ids: Partial<Record<'a' | 'b', string>> = {}
  for (let i = 0; ids.a === undefined || ids.b === undefined; i++) {
    if (i === 200) throw new Error('one of two equal nodes is never asked')
    const before = a.kept.size
    const { result } = await ask('eth_newFilter', [{ topics: [`0x${i.toString(16)}`] }])
    ids[a.kept.size > before ? 'a' : 'b'] ??= result
  }
  expect(b.kept.size).toBeGreaterThan(0)
  return ids as Record<'a' | 'b', string>
}

it('each call for a filter reaches the node that keeps it', async () => {
  const { ask } = await begin()
  for (let i = 0; i < 12; i++) {
    const { result: id } = await ask('eth_newFilter', [{ topics: [String(i)] }])
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_getFilterChanges']) {
      expect(await ask(method, [id])).toMatchObject({ result: [expect.anything(), { topics: [String(i)] }] })
    }
  }
})

it('nodes give equal ids, and callers get ids of their own, which nobody can guess', async () => {
  const scene = await begin()
  const ids = await openAtBoth(scene)
  expect([...scene.a.kept.keys()][0]).toBe([...scene.b.kept.keys()][0])
  expect(ids.a).not.toBe(ids.b)
  for (const name of ['a', 'b'] as const) {
    expect(ids[name]).toMatch(/^0x[1-9a-f][\da-f]{24,31}$/)
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs']) {
      expect((await scene.ask(method, [ids[name]])).result[0]).toBe(name)
    }
  }
  expect((await scene.ask('eth_uninstallFilter', [ids.a])).result).toBe(true)
  expect((await scene.ask('eth_getFilterChanges', [ids.a])).error).toEqual(notFound)
  expect((await scene.ask('eth_getFilterChanges', [ids.b])).result[0]).toBe('b')
})

it('the keys of a project share its filters, and to other projects they are unknown', async () => {
  const { a, b, ask, askAs } = await begin()
  const { result: id } = await ask('eth_newBlockFilter')
  expect((await askAs('one-too')('eth_getFilterChanges', [id])).result).toHaveLength(1)
  a.node.calls.length = b.node.calls.length = 0
  const stranger = askAs('two')
  for (const unknown of [id, '0x0', '']) {
    expect((await stranger('eth_getFilterChanges', [unknown])).error).toEqual(notFound)
    expect((await stranger('eth_getFilterLogs', [unknown])).error).toEqual(notFound)
    // As geth does.
    expect((await stranger('eth_uninstallFilter', [unknown])).result).toBe(false)
  }
  expect([...a.node.calls, ...b.node.calls]).toEqual([])
  expect((await ask('eth_getFilterChanges', [id])).result).toHaveLength(1)
})

it.each([
  [[], 'missing value for required argument 0'],
  [[1], 'invalid argument 0: the id of a filter was expected'],
  [{ id: '0x0' }, 'non-array args'],
])('params without an id, such as %j, are refused', async (params, message) => {
  const { ask } = await begin()
  expect((await ask('eth_getFilterChanges', params as never)).error).toEqual({ code: -32602, message })
})

it('filters of a cordoned upstream are gone, so that clients make others elsewhere', async () => {
  const scene = await begin()
  const ids = await openAtBoth(scene)
  await send(scene.gateway.admin, '/upstreams/cordon?network=mainnet&upstream=a&why=test', { method: 'POST' })
  scene.a.node.calls.length = 0
  expect((await scene.ask('eth_getFilterChanges', [ids.a])).error).toEqual(notFound)
  expect((await scene.ask('eth_getFilterChanges', [ids.b])).result[0]).toBe('b')
  const { result: id } = await scene.ask('eth_newBlockFilter')
  expect((await scene.ask('eth_getFilterChanges', [id])).result[0]).toBe('b')
  expect(scene.a.node.calls).toEqual([])
  await send(scene.gateway.admin, '/upstreams/uncordon?network=mainnet&upstream=a', { method: 'POST' })
  expect((await scene.ask('eth_getFilterChanges', [ids.a])).error).toEqual(notFound)
})

it('filters of a dead node are gone at once', async () => {
  const scene = await begin()
  const ids = await openAtBoth(scene)
  await scene.a.node.stop()
  expect((await scene.ask('eth_getFilterChanges', [ids.a])).error).toEqual(notFound)
  expect((await scene.ask('eth_getFilterChanges', [ids.b])).result[0]).toBe('b')
})

it('filters of the only node are not gone with it: its outage is told', async () => {
  const { a, ask } = await begin({}, 1)
  const { result: id } = await ask('eth_newBlockFilter')
  await a.node.stop()
  expect((await ask('eth_getFilterChanges', [id])).error).toMatchObject({ code: -32603 })
  await a.node.start()
  await expect.poll(async () => (await ask('eth_getFilterChanges', [id])).result).toEqual(['a'])
})

it('the error of a restarted node passes, and the filter is forgotten', async () => {
  const scene = await begin()
  const ids = await openAtBoth(scene)
  scene.a.kept.clear()
  expect((await scene.ask('eth_getFilterLogs', [ids.a])).error).toEqual(notFound)
  scene.a.node.calls.length = 0
  expect((await scene.ask('eth_getFilterChanges', [ids.a])).error).toEqual(notFound)
  expect(scene.a.node.calls).toEqual(['eth_getFilterChanges'])
  expect((await scene.ask('eth_getFilterChanges', [ids.a])).error).toEqual(notFound)
  expect(scene.a.node.calls).toEqual(['eth_getFilterChanges'])
})

it('filters are kept apart in batches and over WebSocket, too', async () => {
  const { gateway, ask } = await begin()
  const opened = await send(gateway.rpc, '/v3/one', {
    body: `[${frame('eth_newBlockFilter', [], 1)},${frame('eth_newBlockFilter', [], 2)},${frame('eth_newBlockFilter', [], 3)}]`,
  })
  const ids = (JSON.parse(opened.body) as { result: string }[]).map(({ result }) => result)
  const socket = await openSocket(`${gateway.ws}/ws/v3/one-too`)
  for (const id of ids) {
    expect((await ask('eth_getFilterChanges', [id])).result).toHaveLength(1)
    socket.send(frame('eth_getFilterChanges', [id]))
    expect(await socket.next()).toMatchObject({ result: [expect.any(String)] })
  }
  expect(new Set(ids).size).toBe(3)
  await socket.close()
})

it('a project that has nine tenths of `limits.maxFilters` opens no more, until it ends one', async () => {
  const { a, b, ask, askAs, gateway } = await begin({ limits: { maxFilters: 10 } })
  const ids: string[] = []
  for (let i = 0; i < 9; i++) ids.push((await ask('eth_newBlockFilter')).result)
  const count = a.kept.size + b.kept.size
  expect((await ask('eth_newBlockFilter')).error).toEqual({
    code: -32005,
    message: 'too many filters of this project are in use (limits.maxFilters)',
  })
  expect(a.kept.size + b.kept.size).toBe(count)
  expect((await send(gateway.admin, '/metrics')).body).toContain(
    'wayleave_budget_refusals_total{budget="maxFilters",project="one"} 1',
  )
  expect((await askAs('two')('eth_newBlockFilter')).result).toMatch(/^0x/)
  await ask('eth_uninstallFilter', [ids[0]])
  await ask('eth_uninstallFilter', [ids[1]])
  expect((await ask('eth_newBlockFilter')).result).toMatch(/^0x/)
})

describe('by a clock', () => {
  /** Filters over two upstreams, the first of which is asked. */
  function beginAt(
    answer: (request: RpcRequest, context: RpcContext) => Promise<RpcResponse>,
    shared?: SharedFilters,
    firstId = 0,
  ) {
    const clock = new FakeClock()
    const candidates = ['a', 'b'].map((name) =>
      createCandidate({
        endpoint: { name, handler: answer, carriesSubscriptions: false },
        health: createUpstreamHealth({ name, onProbeDue() {} }),
        slots: 9,
      }),
    )
    const selection = createSelection({ candidates, random: () => 0, excludes: () => undefined })
    const pool = createPool({ selection, clock, isRepeatable: () => false, opensSubscription: () => false })
    let ids = firstId
    const shares = createFairShare(100)
    const filters = stickyFilters({
      calls: evmFilters,
      selection,
      shares,
      newId: () => `0x${++ids}`,
      shared,
      clock,
      onRefused() {},
    })(pool)
    const ask = (method: string, params: unknown = [], lane = 'one') =>
      filters(call(method, params), createContext({ clock, lane, timeoutMs: 60_000 }))
    return { clock, candidates, selection, shares, ask }
  }
  const minute = 60_000

  it('a filter is forgotten after fifteen minutes without a call for it', async () => {
    const { clock, shares, ask } = beginAt(async () => ({ result: rawJsonFromValue('0x7') }))
    await ask('eth_newFilter', [{}])
    for (let i = 0; i < 3; i++) {
      clock.advance(14 * minute)
      expect(await ask('eth_getFilterChanges', ['0x1'])).toMatchObject({ meta: { endpoint: 'a' } })
    }
    clock.advance(15 * minute)
    expect(await ask('eth_getFilterChanges', ['0x1'])).toEqual({ error: notFound })
    expect(shares.free).toBe(100)
  })

  /** The filters of replicas, in memory. */
  function sharedInMemory() {
    const kept = new Map<string, SharedFilter>()
    const found: string[] = []
    const shared: SharedFilters = {
      put: async (id, filter) => void kept.set(id, filter),
      async find(id) {
        found.push(id)
        return kept.get(id)
      },
      remove: async (id) => void kept.delete(id),
    }
    return { kept, found, shared }
  }

  it('a filter that one replica opened is found by the others, for its project alone, and ends for all', async () => {
    const { kept, shared } = sharedInMemory()
    const node = async ({ method, params }: RpcRequest): Promise<RpcResponse> => ({
      result: rawJsonFromValue(method === 'eth_newFilter' ? '0x7' : (params!.value() as unknown[])[0]),
    })
    const one = beginAt(node, shared)
    const two = beginAt(node, shared, 100)
    await one.ask('eth_newFilter', [{}])
    expect(kept.get('0x1')).toEqual({ project: 'one', upstream: 'a', nodeId: '"0x7"' })
    expect(await two.ask('eth_getFilterChanges', ['0x1'], 'two')).toEqual({ error: notFound })
    expect(two.shares.held('two')).toBe(0)
    const changes = await two.ask('eth_getFilterChanges', ['0x1'])
    expect([changes.meta?.endpoint, (changes.result as { value(): unknown }).value()]).toEqual(['a', '0x7'])
    expect(two.shares.held('one')).toBe(1)
    await two.ask('eth_uninstallFilter', ['0x1'])
    expect([kept.size, two.shares.free]).toEqual([0, 100])
  })

  it('an id that is none, or names an upstream that is not here, is not found', async () => {
    const { kept, found, shared } = sharedInMemory()
    const { ask, shares } = beginAt(async () => ({ result: rawJsonFromValue('0x7') }), shared)
    kept.set('0x5', { project: 'one', upstream: 'gone', nodeId: '"0x7"' })
    for (const id of ['', 'x', `0x${'1'.repeat(33)}`, '0x5']) {
      expect(await ask('eth_getFilterChanges', [id])).toEqual({ error: notFound })
    }
    expect([found, shares.free]).toEqual([['0x5'], 100])
  })

  it('replicas are told once a minute that a filter is in use', async () => {
    const { found, shared } = sharedInMemory()
    const { clock, ask } = beginAt(async () => ({ result: rawJsonFromValue('0x7') }), shared)
    await ask('eth_newFilter', [{}])
    for (let i = 0; i < 12; i++) {
      clock.advance(minute / 4)
      await ask('eth_getFilterChanges', ['0x1'])
    }
    expect(found).toEqual(['0x1', '0x1', '0x1'])
  })

  it('without Redis a filter is known to the replica that opened it', async () => {
    const gone = async (): Promise<never> => {
      throw new Error('gone')
    }
    const { ask } = beginAt(async () => ({ result: rawJsonFromValue('0x7') }), { put: gone, find: gone, remove: gone })
    await ask('eth_newFilter', [{}])
    expect(await ask('eth_getFilterChanges', ['0x1'])).toMatchObject({ meta: { endpoint: 'a' } })
    expect(await ask('eth_getFilterChanges', ['0x2'])).toEqual({ error: notFound })
    await ask('eth_uninstallFilter', ['0x1'])
    expect(await ask('eth_getFilterChanges', ['0x1'])).toEqual({ error: notFound })
  })

  it('unpolled filters make room for others', async () => {
    const { clock, shares, ask } = beginAt(async () => ({ result: rawJsonFromValue('0x7') }))
    for (let i = 0; i < 90; i++) await ask('eth_newFilter', [{}])
    await expect(ask('eth_newFilter', [{}])).rejects.toMatchObject({ code: 'overloaded', rpc: { code: -32005 } })
    clock.advance(15 * minute)
    await ask('eth_newFilter', [{}])
    expect(shares.free).toBe(99)
  })

  it.each<[what: string, answer: RpcResponse | RpcError]>([
    ['an error', { error: { code: -32602, message: 'invalid argument' } }],
    ['no id', { result: rawJsonFromValue(null) }],
    ['an id beyond all bounds', { result: rawJsonFromValue('7'.repeat(1_025)) }],
    ['nothing', new RpcError('disconnected', 'gone')],
  ])('a node that gives %s leaves nothing behind', async (_what, answer) => {
    const { shares, ask } = beginAt(async () => {
      if (answer instanceof RpcError) throw answer
      return answer
    })
    const settled = await ask('eth_newFilter', [{}]).catch((thrown: unknown) => thrown as RpcError)
    if (settled instanceof RpcError) expect(settled.code).toMatch(/^(?:invalid_response|disconnected)$/)
    else expect(settled).toMatchObject({ error: { code: -32602 } })
    expect(shares.free).toBe(100)
    expect(await ask('eth_getFilterChanges', ['0x1'])).toEqual({ error: notFound })
  })

  it('a call that its upstream owes an answer ends as soon as that is left alone', async () => {
    let cancelled: RpcError | undefined
    const { clock, selection, ask } = beginAt(async ({ method }, context) => {
      if (method === 'eth_newFilter') return { result: rawJsonFromValue('0x7') }
      return new Promise((_resolve, reject) => {
        context.onCancel((why) => {
          cancelled = why
          reject(why)
        })
      })
    })
    await ask('eth_newFilter', [{}])
    const answer = ask('eth_getFilterChanges', ['0x1'])
    clock.advance(1_000)
    expect(cancelled).toBeUndefined()
    selection.cordon('a', 'an upgrade')
    clock.advance(1_000)
    expect(await answer).toEqual({ error: notFound })
    expect(cancelled).toBeDefined()
  })

  it('a filter outlives a refusal that passes by', async () => {
    let refuses = false
    const { ask } = beginAt(async () => {
      if (refuses) throw new RpcError('http_status', 'HTTP 429', { httpStatus: 429, delivery: 'not_sent' })
      return { result: rawJsonFromValue('0x7') }
    })
    await ask('eth_newFilter', [{}])
    refuses = true
    await expect(ask('eth_getFilterChanges', ['0x1'])).rejects.toMatchObject({ name: 'RpcError' })
    refuses = false
    expect(await ask('eth_getFilterChanges', ['0x1'])).toMatchObject({ meta: { endpoint: 'a' } })
  })
})
