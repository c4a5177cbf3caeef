import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { testChain, type TestChain } from '../../chain-node.ts'
import { startPushingNode } from '../../pushing-node.ts'
import { frame, send, startTestGateway, reportedBy } from '../../support.ts'
import { openSocket } from '../../web-socket-client.ts'
import { isRequired, missingPostgres, startPostgres } from '../../replicas/servers.ts'
import { logOf, startLogNode } from './log-node.ts'

const notFound = { code: -32000, message: 'filter not found' }
const hex = (number: number): string => `0x${number.toString(16)}`

const projects = [
  { name: 'one', keys: [{ key: 'one' }, { key: 'one-too' }] },
  { name: 'two', keys: [{ key: 'two' }] },
]

async function startGateway(config: Partial<Config>, surroundings = realSurroundings): Promise<RunningGateway> {
  const gateway = await startTestGateway([], { projects, ...config }, { surroundings })
  onTestFinished(() => gateway.close(0))
  return gateway
}

interface Reported {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Makes calls with a key; `value` gives their results. */
function callerOf({ rpc }: RunningGateway, key = 'one') {
  async function ask(method: string, params: readonly unknown[] = []): Promise<Reported> {
    return reportedBy(await send(rpc, `/v3/${key}`, { body: frame(method, params) })) as Reported
  }
  async function value(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const { result, error } = await ask(method, params)
    expect(error).toBeUndefined()
    return result
  }
  return { ask, value, poll: (id: unknown) => value('eth_getFilterChanges', [id]) }
}

/** A gateway over two nodes of one chain, each of whose blocks has a log. */
async function begin(config: Partial<Config> = {}, followHeads = true) {
  const chain = testChain(500, { hasLogs: true })
  const nodes = [await startLogNode(chain, 1), await startLogNode(chain, 2)] as const
  const upstreams = nodes.map(({ url }, i) => ({ name: 'ab'[i]!, url }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads } } as const
  const full = { networks, ...config }
  const gateway = await startGateway(full)
  return { chain, nodes, gateway, config: full, ...callerOf(gateway) }
}

/** Makes blocks, and gives them. */
function grow(chain: TestChain, count: number) {
  chain.height += count
  return Array.from({ length: count }, (_, i) => chain.block(chain.height - count + 1 + i))
}

/** Polls until something has come. */
async function pollUntil(poll: (id: unknown) => Promise<unknown>, id: unknown): Promise<unknown> {
  let reported: unknown[] = []
  await expect
    .poll(async () => (reported = (await poll(id)) as unknown[]).length, { timeout: 15_000 })
    .toBeGreaterThan(0)
  return reported
}

/** Polls until `count` have come. */
async function pollFor(poll: (id: unknown) => Promise<unknown>, id: unknown, count: number): Promise<unknown> {
  const reported: unknown[] = []
  await expect
    .poll(async () => reported.push(...((await poll(id)) as unknown[])), { timeout: 15_000 })
    .toBeGreaterThanOrEqual(count)
  return reported
}

it.each([true, false])('filters tell logs and blocks once, where heads are followed: %s', async (followHeads) => {
  const { chain, value, poll } = await begin({}, followHeads)
  const [logs, blocks] = [await value('eth_newFilter', [{}]), await value('eth_newBlockFilter')]
  expect(logs).toMatch(/^0x[1-9a-f][\da-f]{24,31}$/)
  expect([await poll(logs), await poll(blocks)]).toEqual([[], []])
  const made = grow(chain, 3)
  expect(await pollFor(poll, logs, 3)).toEqual(made.map(logOf))
  expect(await pollFor(poll, blocks, 3)).toEqual(made.map(({ hash }) => hash))
  expect([await poll(logs), await poll(blocks)]).toEqual([[], []])
  const first = hex(chain.height)
  const ranged = await value('eth_newFilter', [{ fromBlock: first, toBlock: 'latest' }])
  expect(await value('eth_getFilterLogs', [ranged])).toEqual([logOf(made[2]!)])
  expect(await value('eth_uninstallFilter', [logs])).toBe(true)
  expect(await value('eth_uninstallFilter', [logs])).toBe(false)
})

it('no call for a filter reaches a node', async () => {
  const { chain, nodes, value, poll } = await begin()
  const id = await value('eth_newFilter', [{}])
  grow(chain, 1)
  await pollUntil(poll, id)
  await value('eth_uninstallFilter', [id])
  for (const { calls } of nodes) expect(calls.filter((method) => /filter/i.test(method))).toEqual([])
})

it.each(['stopped', 'cordoned'])('a filter outlives an upstream that is %s', async (how) => {
  const { chain, nodes, gateway, value, poll } = await begin()
  const id = await value('eth_newFilter', [{}])
  const made = grow(chain, 2)
  const reported = [await pollFor(poll, id, 2)]
  for (const [i, name] of ['a', 'b'].entries()) {
    if (how === 'stopped') await nodes[i]!.stop()
    else await send(gateway.admin, `/upstreams/cordon?network=mainnet&upstream=${name}&why=test`, { method: 'POST' })
    made.push(...grow(chain, 2))
    reported.push(await pollFor(poll, id, 2))
    if (how === 'stopped') await nodes[i]!.start()
    else await send(gateway.admin, `/upstreams/uncordon?network=mainnet&upstream=${name}`, { method: 'POST' })
  }
  expect(reported.flat()).toEqual(made.map(logOf))
})

it('logs of replaced blocks are told as removed, last first, then those of the new ones', async () => {
  const { chain, value, poll } = await begin()
  const id = await value('eth_newFilter', [{}])
  const replaced = grow(chain, 2)
  await pollFor(poll, id, 2)
  chain.reorganize(500)
  chain.height++
  const reported = (await pollFor(poll, id, 5)) as unknown[]
  const made = [501, 502, 503].map((number) => chain.block(number))
  expect(reported).toEqual([
    ...replaced.toReversed().map((block) => ({ ...logOf(block), removed: true })),
    ...made.map(logOf),
  ])
})

it('a filter with a store outlives a restart of the gateway, and counts for its project', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-filters-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const store = { sqlite: join(folder, 'wayleave.sqlite') }
  const { chain, gateway, config, value } = await begin({ store, limits: { maxFilters: 3 } })
  const ids = [await value('eth_newFilter', [{}]), await value('eth_newBlockFilter')]
  await gateway.close(0)
  const made = grow(chain, 3)
  const { ask, poll } = callerOf(await startGateway(config))
  expect((await ask('eth_newBlockFilter')).result).toBeDefined()
  expect((await ask('eth_newBlockFilter')).error).toMatchObject({ code: -32005 })
  expect(await pollFor(poll, ids[0], 3)).toEqual(made.map(logOf))
  expect(await pollFor(poll, ids[1], 3)).toEqual(made.map(({ hash }) => hash))
  expect((await ask('eth_getFilterChanges', ['0x1'])).error).toEqual(notFound)
})

it('rules of a project that were made narrower hold for the filters that it has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-filters-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { gateway, chain, config, value } = await begin({ store: { sqlite: join(folder, 'wayleave.sqlite') } })
  const [open, listed] = [hex(7).padEnd(42, '7'), hex(8).padEnd(42, '8')]
  const ids = [await value('eth_newFilter', [{ address: open }]), await value('eth_newFilter', [{ address: listed }])]
  const blocks = await value('eth_newBlockFilter')
  await gateway.close(0)
  grow(chain, 1)
  const [one, two] = projects
  const narrow = await startGateway({ ...config, projects: [{ ...one!, rules: { addresses: [listed] } }, two!] })
  for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs']) {
    const denied = await send(narrow.rpc, '/v3/one', { body: frame(method, [ids[0]]) })
    expect([denied.status, reportedBy(denied)]).toMatchObject([403, { error: { code: -32002 } }])
  }
  const { poll, value: valueOf } = callerOf(narrow)
  expect(await poll(ids[1])).toBeInstanceOf(Array)
  expect(await poll(blocks)).toBeInstanceOf(Array)
  expect(await valueOf('eth_uninstallFilter', [ids[0]])).toBe(true)
})

it('the keys of a project share its filters, and to other projects they are unknown', async () => {
  const { nodes, gateway, value, poll } = await begin()
  const id = await value('eth_newBlockFilter')
  expect(await callerOf(gateway, 'one-too').poll(id)).toEqual([])
  const stranger = callerOf(gateway, 'two')
  for (const { calls } of nodes) calls.length = 0
  for (const unknown of [id, '0x0', '']) {
    expect((await stranger.ask('eth_getFilterChanges', [unknown])).error).toEqual(notFound)
    expect((await stranger.ask('eth_getFilterLogs', [unknown])).error).toEqual(notFound)
    // As geth does.
    expect(await stranger.value('eth_uninstallFilter', [unknown])).toBe(false)
  }
  expect(nodes.flatMap(({ calls }) => calls)).toEqual([])
  expect(await poll(id)).toEqual([])
})

it('filters are served in batches and over WebSocket, too', async () => {
  const { chain, gateway, poll } = await begin()
  const opened = await send(gateway.rpc, '/v3/one', {
    body: `[${frame('eth_newBlockFilter', [], 1)},${frame('eth_newBlockFilter', [], 2)}]`,
  })
  const ids = (JSON.parse(opened.body) as { result: string }[]).map(({ result }) => result)
  expect(new Set(ids).size).toBe(2)
  const [block] = grow(chain, 1)
  expect(await pollUntil(poll, ids[0])).toEqual([block!.hash])
  const socket = await openSocket(`${gateway.ws}/ws/v3/one-too`)
  socket.send(frame('eth_getFilterChanges', [ids[1]]))
  expect(await socket.next()).toMatchObject({ result: [block!.hash] })
  await socket.close()
})

it('a project that has nine tenths of `limits.maxFilters` opens no more, until it ends one', async () => {
  const { gateway, ask, value } = await begin({ limits: { maxFilters: 10 } })
  const ids: unknown[] = []
  for (let i = 0; i < 9; i++) ids.push(await value('eth_newBlockFilter'))
  const refused = await send(gateway.rpc, '/v3/one', { body: frame('eth_newBlockFilter') })
  expect([refused.status, reportedBy(refused)]).toMatchObject([
    503,
    { error: { code: -32005, message: expect.stringMatching(/^too many filters of this project/) as string } },
  ])
  expect((await send(gateway.admin, '/metrics')).body).toContain(
    'wayleave_budget_refusals_total{budget="maxFilters",project="one"} 1',
  )
  expect(await callerOf(gateway, 'two').value('eth_newBlockFilter')).toMatch(/^0x/)
  for (const id of ids.slice(0, 2)) await ask('eth_uninstallFilter', [id])
  expect(await value('eth_newBlockFilter')).toMatch(/^0x/)
})

it('a project has as many filters on a network as its plan says, at all replicas that share a store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-filters-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const planned = (plan: string) => [{ ...projects[0]!, plan }, projects[1]!]
  const { gateway, config, value, ask } = await begin({
    store: { sqlite: join(folder, 'wayleave.sqlite') },
    projects: planned('few'),
    plans: { few: { maxFilters: 3 }, more: { maxFilters: 4 }, none: { maxFilters: 0 } },
  })
  const other = callerOf(await startGateway({ ...config, usage: { spool: join(folder, 'other.spool') } }))
  const ids = [await value('eth_newBlockFilter'), await other.value('eth_newFilter', [{}])]
  ids.push(await callerOf(gateway, 'one-too').value('eth_newBlockFilter'))
  for (const caller of [{ ask }, other]) {
    expect((await caller.ask('eth_newBlockFilter')).error).toMatchObject({
      code: -32005,
      message: expect.stringMatching(/^too many filters of this project/) as string,
    })
  }
  // Those that it has go on, wherever they were made; and it is its own quota.
  for (const id of ids) expect((await other.ask('eth_getFilterChanges', [id])).error).toBeUndefined()
  expect((await callerOf(gateway, 'two').ask('eth_newBlockFilter')).error).toBeUndefined()
  await value('eth_uninstallFilter', [ids[1]])
  expect((await other.ask('eth_newBlockFilter')).error).toBeUndefined()
  expect((await ask('eth_newBlockFilter')).error).toMatchObject({ code: -32005 })
  const reload = async (plan: string): Promise<void> => {
    const listen = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
    const next = { listen, defaultNetwork: 'mainnet', cache: false, ...config, projects: planned(plan) } as const
    expect(await gateway.reload(next)).toMatchObject({ problems: [], applied: true })
  }
  await reload('more')
  expect((await ask('eth_newBlockFilter')).error).toBeUndefined()
  await reload('none')
  expect((await ask('eth_newBlockFilter')).error).toMatchObject({ code: -32005 })
})

it('filters of a project with groups are told by its own upstreams alone', async () => {
  const [chain, other] = [testChain(500, { hasLogs: true }), testChain(500, { hasLogs: true })]
  const nodes = [await startLogNode(chain, 1), await startLogNode(other, 2)] as const
  const upstreams = [
    { name: 'a', url: nodes[0].url },
    { name: 'b', url: nodes[1].url, groups: ['own'] },
  ]
  const gateway = await startGateway({
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: false } },
    projects: [...projects, { name: 'grouped', keys: [{ key: 'grouped' }], upstreams: ['own'] }],
  })
  const { value, poll } = callerOf(gateway, 'grouped')
  const ids = [await value('eth_newFilter', [{}]), await value('eth_newBlockFilter')]
  chain.height += 5
  const [block] = grow(other, 1)
  expect(await poll(ids[0])).toEqual([logOf(block!)])
  expect(await poll(ids[1])).toEqual([block!.hash])
  expect(nodes[0].calls).toEqual([])
})

it('a filter whose store is away is not told to be unknown: the call fails', async () => {
  const { gateway } = await begin({ redis: 'redis://127.0.0.1:1' })
  for (const call of [frame('eth_newBlockFilter'), frame('eth_getFilterChanges', ['0x1'])]) {
    const answer = await send(gateway.rpc, '/v3/one', { body: call })
    expect([answer.status, answer.headers['retry-after'], reportedBy(answer)]).toEqual([
      503,
      '1',
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32603,
          message: 'the store of the filters cannot be used now; try again in a few seconds',
        },
      },
    ])
  }
})

it.skipIf(!isRequired && missingPostgres() !== undefined)(
  'a filter in PostgreSQL fails while the server is stopped, and goes on where it was after that',
  { timeout: 120_000 },
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const { chain, gateway, value, poll } = await begin({ store: { postgres: await server.createDatabase('filters') } })
    const id = await value('eth_newFilter', [{}])
    const made = grow(chain, 2)
    expect(await pollFor(poll, id, 2)).toEqual(made.map(logOf))
    const later = grow(chain, 3)
    await server.restart(async () => {
      const answer = await send(gateway.rpc, '/v3/one', { body: frame('eth_getFilterChanges', [id]) })
      expect([answer.status, reportedBy(answer)]).toMatchObject([503, { error: { code: -32603 } }])
    })
    await expect
      .poll(async () => (await send(gateway.rpc, '/v3/one', { body: frame('eth_newBlockFilter') })).status)
      .toBe(200)
    expect(await pollFor(poll, id, 3)).toEqual(later.map(logOf))
  },
)

it('pending transactions are those that a node pushes, of one subscription for all', async () => {
  const node = await startPushingNode()
  onTestFinished(() => node.close())
  const block = { number: '0x1', hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` }
  node.answer = (method) => (method === 'eth_chainId' ? '0x1' : block)
  const gateway = await startGateway({
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
  })
  const { value, poll } = callerOf(gateway)
  const ids = [await value('eth_newPendingTransactionFilter'), await value('eth_newPendingTransactionFilter')]
  expect([...node.open]).toEqual(['0x1'])
  node.push('0x1', '0xaa')
  node.push('0x1', '0xbb')
  expect(await pollFor(poll, ids[0], 2)).toEqual(['0xaa', '0xbb'])
  expect(await poll(ids[1])).toEqual(['0xaa', '0xbb'])
  expect(await poll(ids[1])).toEqual([])
})

it('filters for pending transactions are refused where no upstream can push', async () => {
  const { ask } = await begin()
  expect((await ask('eth_newPendingTransactionFilter')).error).toEqual({
    code: -32601,
    message: 'the method eth_newPendingTransactionFilter does not exist/is not available',
  })
})

it('few filters are made in one turn of the event loop, also by many batches at once', async () => {
  let turn = 0
  const madeIn: number[] = []
  const newFilterId = (): string => {
    madeIn.push(turn)
    return realSurroundings.newFilterId()
  }
  let isCounting = true
  const nextTurn = (): void => void (isCounting && setImmediate(nextTurn) && turn++)
  onTestFinished(() => void (isCounting = false))
  const node = await startLogNode(testChain(500), 1)
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url] } } as const
  const gateway = await startGateway({ networks }, { ...realSurroundings, newFilterId })
  nextTurn()
  const body = `[${Array.from({ length: 50 }, (_, id) => frame('eth_newBlockFilter', [], id)).join(',')}]`
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(gateway.rpc, '/v3/one', { body })))
  expect(answers.flatMap((answer) => JSON.parse(answer.body) as Reported[]).every(({ result }) => result)).toBe(true)
  const most = Math.max(...Array.from(Map.groupBy(madeIn, (at) => at).values(), ({ length }) => length))
  expect(madeIn).toHaveLength(400)
  expect(most).toBeLessThanOrEqual(10)
})
