import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type ChainNode,
  logAddress,
  startChainNode,
  testChain,
  type TestBlock,
  type TestChain,
} from '../../chain-node.ts'
import { frame, key, send, sleep, startTestGateway, until } from '../../support.ts'
import { openSocket, type TestSocket } from '../../web-socket-client.ts'

const height = 500

interface Scene {
  readonly gateway: RunningGateway
  readonly a: ChainNode
  readonly b: ChainNode
  readonly chain: TestChain
  cordon(name: string, isCordoned: boolean): Promise<void>
  ask(method: string, params?: readonly unknown[]): Promise<{ result?: unknown }>
  /** Makes a block, which nodes announce. */
  mine(...by: readonly ChainNode[]): void
  /** Opens a connection with a subscription. */
  subscribe(...params: readonly unknown[]): Promise<Subscriber>
  /** Opens a connection, and gives the error of a subscription. */
  refusal(...params: readonly unknown[]): Promise<unknown>
}

interface Subscriber {
  readonly socket: TestSocket
  readonly id: unknown
  /** The events, in order, all under the id. */
  events<T>(): readonly T[]
  /** The heights of the heads that were announced. */
  numbers(): readonly number[]
}

interface Log {
  readonly blockNumber: string
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

type Upstreams = NonNullable<Config['networks']['mainnet']>['upstreams']

/** Two nodes of one chain, with the names a and b. */
async function begin({
  hasSockets = true,
  config = {},
  groups = {},
  verify = 'off',
}: {
  hasSockets?: boolean
  config?: Partial<Config>
  groups?: { a?: readonly string[]; b?: readonly string[] }
  verify?: 'off' | 'consistent' | 'proven'
} = {}): Promise<Scene> {
  const chain = testChain(height, { hasLogs: verify === 'off' })
  const [a, b] = [await startChainNode(chain, 1), await startChainNode(chain, 2)]
  for (const node of [a, b]) onTestFinished(() => node.close())
  const upstreams = [
    { name: 'a', url: a.url, ...(hasSockets && { ws: a.ws }), ...(groups.a && { groups: groups.a }) },
    { name: 'b', url: b.url, ...(hasSockets && { ws: b.ws }), ...(groups.b && { groups: groups.b }) },
  ] as Upstreams
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, verify, followHeads: true } } as const
  const gateway = await startTestGateway([], { ...config, networks }, { surroundings: realSurroundings })
  onTestFinished(() => gateway.close(0))
  const scene: Scene = {
    gateway,
    a,
    b,
    chain,
    async cordon(name, isCordoned) {
      const path = `/upstreams/${isCordoned ? 'cordon' : 'uncordon'}?network=mainnet&upstream=${name}&why=test`
      expect((await send(gateway.admin, path, { method: 'POST' })).status).toBe(200)
    },
    async ask(method, params = []) {
      return JSON.parse((await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })).body)
    },
    mine(...by) {
      chain.height++
      for (const node of by) node.pushHead()
    },
    async subscribe(...params) {
      const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
      return subscribeOn(socket, ...params)
    },
    async refusal(...params) {
      const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
      socket.send(frame('eth_subscribe', params))
      return ((await socket.next()) as { error: unknown }).error
    },
  }
  return scene
}

async function subscribeOn(socket: TestSocket, ...params: readonly unknown[]): Promise<Subscriber> {
  socket.send(frame('eth_subscribe', params))
  const { result: id } = (await socket.next()) as { result: unknown }
  expect(id).toMatch(/^0x[\da-f]+$/)
  const events = <T>(): T[] =>
    socket.messages.slice(1).map((text) => {
      const { subscription, result } = JSON.parse(text).params
      expect(subscription).toBe(id)
      return result as T
    })
  return { socket, id, events, numbers: () => events<TestBlock>().map(({ number }) => Number(number)) }
}

/** Has a node answer nothing any more, and announce nothing; its connections stay. */
function silence(node: ChainNode): void {
  node.answer = () => 'hang'
}

const hex = (number: number): string => `0x${number.toString(16)}`
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => height + 1 + i)
const linked = (subscriber: Subscriber): boolean =>
  subscriber.events<TestBlock>().every((block, i, all) => i === 0 || block.parentHash === all[i - 1]!.hash)
/** Logs as height, index and whether they are taken back. */
const reported = (subscriber: Subscriber): string[] =>
  subscriber
    .events<Log>()
    .map(({ blockNumber, logIndex, removed }) => `${removed ? '-' : ''}${Number(blockNumber)}.${Number(logIndex)}`)
const logsOf = (numbers: readonly number[]): string[] => numbers.flatMap((number) => [`${number}.0`, `${number}.1`])

describe('subscribers of all kinds', () => {
  it('share one subscription and one question a block, and are told the same', async () => {
    const scene = await begin()
    const { a, b } = scene
    const heads = [await scene.subscribe('newHeads'), await scene.subscribe('newHeads')]
    const logs = [await scene.subscribe('logs', { address: logAddress }), await scene.subscribe('logs', {})]
    const second = await scene.subscribe('logs', { topics: [`0x${'1'.repeat(64)}`] })
    a.calls.length = b.calls.length = 0
    for (let i = 0; i < 4; i++) {
      scene.mine(a, b)
      await until(() => heads.every((each) => each.numbers().length === i + 1))
      await until(() => logs.every((each) => reported(each).length === 2 * (i + 1)))
    }
    for (const each of heads) expect(each.numbers()).toEqual(upTo(4))
    for (const each of logs) expect(reported(each)).toEqual(logsOf(upTo(4)))
    expect(reported(second)).toEqual(upTo(4).map((number) => `${number}.1`))
    expect([a.subscribers, b.subscribers]).toEqual([1, 1])
    expect([...a.calls, ...b.calls].toSorted()).toEqual(Array.from({ length: 4 }, () => 'eth_getLogs'))
  })

  it.each([['newHeads'], ['logs', {}], ['newPendingTransactions']])(
    'keep their connection when the last one of them unsubscribes: %s',
    async (...params) => {
      const { socket, id } = await (await begin()).subscribe(...params)
      socket.send(frame('eth_unsubscribe', [id]))
      expect(await socket.next()).toMatchObject({ result: true })
      socket.send(frame('eth_chainId'))
      expect(await socket.next()).toMatchObject({ result: '0x1' })
    },
  )

  it('cause no question when they have left', async () => {
    const scene = await begin()
    const { a, b } = scene
    const [logs, pending] = [await scene.subscribe('logs', {}), await scene.subscribe('newPendingTransactions')]
    expect(a.subscribersOf('newPendingTransactions') + b.subscribersOf('newPendingTransactions')).toBe(1)
    scene.mine(a, b)
    await until(() => reported(logs).length === 2)
    await logs.socket.close()
    await pending.socket.close()
    await until(() => a.subscribersOf('newPendingTransactions') + b.subscribersOf('newPendingTransactions') === 0)
    a.calls.length = b.calls.length = 0
    const heads = await scene.subscribe('newHeads')
    scene.mine(a, b)
    await until(() => heads.numbers().length === 1)
    await sleep(50)
    expect([...a.calls, ...b.calls]).toEqual([])
  })

  it('are told of receipts, all or those of their transactions, and that the chain is in sync', async () => {
    const scene = await begin()
    const { a, b, chain } = scene
    const all = await scene.subscribe('transactionReceipts')
    const one = await scene.subscribe('transactionReceipts', { transactionHashes: [chain.block(height + 2).hash] })
    const syncing = await scene.subscribe('syncing')
    for (let i = 0; i < 2; i++) {
      scene.mine(a, b)
      await until(() => all.events().length === i + 1)
    }
    const hashesIn = (subscriber: Subscriber): unknown[] =>
      subscriber.events<{ transactionHash: string }[]>().map((receipts) => receipts.map((own) => own.transactionHash))
    expect(hashesIn(all)).toEqual([[chain.block(height + 1).hash], [chain.block(height + 2).hash]])
    expect(hashesIn(one)).toEqual([[chain.block(height + 2).hash]])
    expect(syncing.events()).toEqual([false])
  })

  it('need no WebSocket of a node', async () => {
    const scene = await begin({ hasSockets: false })
    const [heads, logs] = [await scene.subscribe('newHeads'), await scene.subscribe('logs', {})]
    scene.mine()
    await until(() => heads.numbers().length === 1 && reported(logs).length === 2)
    expect(await scene.refusal('newPendingTransactions')).toMatchObject({
      code: -32601,
      message: 'no "newPendingTransactions" subscription in eth namespace',
    })
  })
})

describe('a header that a node announces with false contents', () => {
  it.each(['consistent', 'proven'] as const)('reaches nobody under verify: %s', async (verify) => {
    const scene = await begin({ verify })
    const { a, b, chain } = scene
    const heads = await scene.subscribe('newHeads')
    for (let i = 0; i < 2; i++) {
      const block = chain.block(++chain.height)
      for (const node of [a, b]) node.push('newHeads', { ...block, logsBloom: `0x${'f'.repeat(512)}` })
      await until(() => heads.numbers().length === i + 1)
    }
    const none = `0x${'0'.repeat(512)}`
    expect(heads.events<{ logsBloom: string }>().map(({ logsBloom }) => logsBloom)).toEqual([none, none])
  })
})

describe('where the node that announces', () => {
  it.each<[string, (node: ChainNode) => Promise<void> | void]>([
    ['falls silent', silence],
    ['dies', (node) => node.stop()],
  ])('%s, no head and no log is lost or doubled, and the ids stay', async (_, fail) => {
    const scene = await begin()
    const { a, b } = scene
    const [heads, logs] = [await scene.subscribe('newHeads'), await scene.subscribe('logs', {})]
    scene.mine(a, b)
    await until(() => heads.numbers().length === 1 && reported(logs).length === 2)
    await fail(a)
    for (let i = 0; i < 8; i++) {
      scene.mine(b)
      await sleep(200)
    }
    await until(() => heads.numbers().length === 9 && reported(logs).length === 18)
    expect(heads.numbers()).toEqual(upTo(9))
    expect(linked(heads)).toBe(true)
    expect(reported(logs)).toEqual(logsOf(upTo(9)))
    expect([heads.socket.closed, logs.socket.closed]).toEqual([undefined, undefined])
    // A head that was filled in looks like one that was announced.
    const names = heads.events<TestBlock>().map((block) => Object.keys(block).join(' '))
    expect(new Set(names).size).toBe(1)
  })

  it('is cordoned, they go on', async () => {
    const scene = await begin()
    const { a, b } = scene
    const logs = await scene.subscribe('logs', {})
    await scene.cordon('a', true)
    a.calls.length = 0
    for (let i = 0; i < 3; i++) {
      scene.mine(a, b)
      await until(() => reported(logs).length === 2 * (i + 1))
    }
    expect(reported(logs)).toEqual(logsOf(upTo(3)))
    expect(a.calls).toEqual([])
  })
})

it('a reorg takes back logs, last one first, and tells those of the new blocks', async () => {
  const scene = await begin()
  const { a, b, chain } = scene
  const [heads, logs] = [await scene.subscribe('newHeads'), await scene.subscribe('logs', {})]
  for (let i = 0; i < 2; i++) {
    scene.mine(a, b)
    await until(() => reported(logs).length === 2 * (i + 1))
  }
  chain.reorganize(height)
  scene.mine(a, b)
  await until(() => reported(logs).length === 14)
  const [one, two] = [1, 2].map((n) => height + n)
  expect(reported(logs).slice(4)).toEqual([
    ...[two!, one!].flatMap((number) => [`-${number}.1`, `-${number}.0`]),
    ...logsOf(upTo(3)),
  ])
  expect(heads.numbers()).toEqual([one, two, ...upTo(3)])
})

it('a stream that cannot go on closes with 1013, and says from where to resume', async () => {
  const scene = await begin()
  const { a, b, chain } = scene
  const [heads, logs] = [await scene.subscribe('newHeads'), await scene.subscribe('logs', {})]
  scene.mine(a, b)
  await until(() => heads.numbers().length === 1 && reported(logs).length === 2)
  chain.height += 1_100
  scene.mine(a, b)
  await until(() => heads.socket.closed !== undefined && logs.socket.closed !== undefined)
  const reason = `resume from block ${height + 1} (${chain.block(height + 1).hash})`
  expect([heads.socket.closed, logs.socket.closed]).toEqual([
    { code: 1013, reason },
    { code: 1013, reason },
  ])
})

describe('a kind that only nodes have', () => {
  const openAt = ({ a, b }: Scene, kind: string): number[] => [a.subscribersOf(kind), b.subscribersOf(kind)]

  it('is one subscription for all callers, which moves when its node dies', async () => {
    const scene = await begin()
    const { a, b } = scene
    const all = [await scene.subscribe('newThings', { x: 1 }), await scene.subscribe('newThings', { x: 1 })]
    const [node, other] = openAt(scene, 'newThings')[0] === 1 ? [a, b] : [b, a]
    expect(openAt(scene, 'newThings').toSorted()).toEqual([0, 1])
    node.push('newThings', { n: 1 })
    await until(() => all.every((each) => each.events().length === 1))
    await node.stop()
    await until(() => other.subscribersOf('newThings') === 1)
    other.push('newThings', { n: 2 })
    await until(() => all.every((each) => each.events().length === 2))
    for (const each of all) expect(each.events()).toEqual([{ n: 1 }, { n: 2 }])
    for (const { socket } of all) await socket.close()
    await until(() => other.subscribersOf('newThings') === 0)
  })

  it('leaves a node that falls silent while the other one goes on', async () => {
    const scene = await begin()
    const { a, b } = scene
    const subscriber = await scene.subscribe('newPendingTransactions', false)
    const [node, other] = openAt(scene, 'newPendingTransactions')[0] === 1 ? [a, b] : [b, a]
    silence(node)
    while (other.subscribersOf('newPendingTransactions') === 0) {
      scene.mine(other)
      await sleep(250)
    }
    other.push('newPendingTransactions', '0x1')
    await until(() => subscriber.events().length === 1)
    expect(subscriber.socket.closed).toBeUndefined()
  })

  it('is refused as nodes refuse it, and other kinds are not', async () => {
    const scene = await begin()
    for (const node of [scene.a, scene.b]) {
      node.answer = (method, [kind]) =>
        method === 'eth_subscribe' && kind === 'oldThings'
          ? { error: { code: -32601, message: 'no "oldThings" subscription in eth namespace' } }
          : undefined
    }
    expect(await scene.refusal('oldThings')).toEqual({
      code: -32601,
      message: 'no "oldThings" subscription in eth namespace',
    })
    await scene.subscribe('newThings')
  })

  it('is found at the node that has it', async () => {
    const scene = await begin()
    scene.a.answer = (method, [kind]) =>
      method === 'eth_subscribe' && kind === 'newThings'
        ? { error: { code: -32601, message: 'no "newThings" subscription in eth namespace' } }
        : undefined
    const subscriber = await scene.subscribe('newThings')
    scene.b.push('newThings', 7)
    await until(() => subscriber.events().length === 1)
  })
})

describe('projects with groups of upstreams', () => {
  const [keyA, keyB] = ['key-of-a', 'key-of-b']
  const groups = { a: ['one'], b: ['two'] }
  const projects: Config['projects'] = [
    { name: 'one', upstreams: ['one'], keys: [{ key: keyA }] },
    { name: 'two', upstreams: ['two'], keys: [{ key: keyB }] },
    { name: 'all', keys: [{ key }] },
  ]

  it('are told by their own upstreams alone', async () => {
    const scene = await begin({ config: { projects }, groups })
    const { a, b } = scene
    const open = async (own: string, ...params: readonly unknown[]) =>
      subscribeOn(await openSocket(`${scene.gateway.ws}/ws/v3/${own}`), ...params)
    const [heads, logs] = [await open(keyA, 'newHeads'), await open(keyA, 'logs', {})]
    const pending = await open(keyB, 'newPendingTransactions')
    expect([a.subscribersOf('newPendingTransactions'), b.subscribersOf('newPendingTransactions')]).toEqual([0, 1])
    await until(() => a.calls.includes('eth_getBlockByHash'))
    a.calls.length = b.calls.length = 0
    for (let i = 0; i < 3; i++) {
      scene.mine(a, b)
      await until(() => heads.numbers().length === i + 1 && reported(logs).length === 2 * (i + 1))
    }
    expect([heads.numbers(), reported(logs)]).toEqual([upTo(3), logsOf(upTo(3))])
    expect(b.calls).toEqual([])
    expect(a.calls.filter((method) => method === 'eth_getBlockByHash')).toHaveLength(3)
    a.push('newPendingTransactions', 'a')
    b.push('newPendingTransactions', 'b')
    await until(() => pending.events().length === 1)
    expect(pending.events()).toEqual(['b'])
  })
})

describe('a subscription that begins in the past', () => {
  it('tells what its caller missed while it was away, then what comes, each once', async () => {
    const scene = await begin()
    const { a, b, chain } = scene
    const first = await scene.subscribe('logs', {})
    scene.mine(a, b)
    await until(() => reported(first).length === 2)
    await first.socket.close()
    for (let i = 0; i < 5; i++) scene.mine(a, b)
    const fromHash = chain.block(height + 1).hash
    const logs = await scene.subscribe('logs', { address: logAddress, fromHash })
    const heads = await scene.subscribe('newHeads', { fromBlock: hex(height + 2) })
    await until(() => reported(logs).length === 10 && heads.numbers().length === 5)
    scene.mine(a, b)
    await until(() => reported(logs).length === 12 && heads.numbers().length === 6)
    const missed = upTo(7).slice(1)
    expect([reported(logs), heads.numbers()]).toEqual([logsOf(missed), missed])
    expect(linked(heads)).toBe(true)
  })

  it('takes back what was replaced meanwhile', async () => {
    const scene = await begin()
    const { a, b, chain } = scene
    const first = await scene.subscribe('logs', {})
    scene.mine(a, b)
    await until(() => reported(first).length === 2)
    await first.socket.close()
    const old = chain.block(height + 1)
    const logs = await scene.subscribe('logs', { fromHash: old.hash })
    scene.mine(a, b)
    await until(() => reported(logs).length === 2)
    chain.reorganize(height)
    scene.mine(a, b)
    await until(() => reported(logs).length === 12)
    const [one, two] = [height + 1, height + 2]
    expect(reported(logs)).toEqual([
      ...logsOf([two]),
      ...[two, one].flatMap((number) => [`-${number}.1`, `-${number}.0`]),
      ...logsOf(upTo(3)),
    ])
  })

  it('is refused past the bound, above the head, and from a hash that nobody knows', async () => {
    const scene = await begin()
    const unknown = `0x${'9'.repeat(64)}`
    expect(await scene.refusal('newHeads', { fromHash: unknown })).toMatchObject({
      code: -32000,
      message: expect.stringContaining(`no node has block ${unknown}`),
    })
    expect(await scene.refusal('logs', { fromBlock: hex(height + 9) })).toMatchObject({ code: -32000 })
    expect(await scene.refusal('newHeads', { fromBlock: 'safe' })).toMatchObject({ code: -32602 })
  })

  it('begins now for ethclient, which names block 0 where its caller names none', async () => {
    const scene = await begin()
    const logs = await scene.subscribe('logs', { address: null, fromBlock: '0x0', toBlock: 'latest', topics: null })
    scene.mine(scene.a, scene.b)
    await until(() => reported(logs).length === 2)
    expect(reported(logs)).toEqual(logsOf(upTo(1)))
  })
})
