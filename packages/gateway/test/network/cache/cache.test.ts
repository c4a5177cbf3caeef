import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterEach, expect, it } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../../chain-node.ts'
import { frame, key, send, startTestGateway } from '../../support.ts'
import { openSocket } from '../../web-socket-client.ts'

const account = `0x${'11'.repeat(20)}`
const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

/** A chain whose last block is of this moment. */
const freshChain = (height: number) => testChain(height, { startedAt: Math.floor(Date.now() / 1_000) - height })

/** A network of nodes with one chain, whose answers tell the block that they were asked for. */
async function start({
  chain = freshChain(100),
  count = 1,
  config = {} as Partial<Config>,
  network = {},
} = {}): Promise<{
  readonly gateway: RunningGateway
  readonly nodes: readonly ChainNode[]
  readonly chain: ReturnType<typeof testChain>
  ask(method: string, params?: unknown, headers?: Record<string, string>): Promise<Asked>
}> {
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i)))
  for (const node of nodes) {
    opened.push(() => node.close())
    node.answer = (method, params) =>
      /Balance|call/.test(method)
        ? { result: `0x${JSON.stringify(params).length.toString(16)}${blockIn(params)}` }
        : undefined
  }
  const gateway = await startTestGateway([], {
    networks: {
      mainnet: { kind: 'evm', chainId: 1, upstreams: nodes.map(({ url }) => url), followHeads: true, ...network },
    },
    cache: {},
    ...config,
  })
  opened.push(() => gateway.close(0))
  return {
    gateway,
    nodes,
    chain,
    async ask(method, params = [], headers = {}) {
      const { body: answer, headers: reported } = await send(gateway.rpc, `/v3/${key}`, {
        body: frame(method, params),
        headers,
      })
      const json = JSON.parse(answer) as Pick<Asked, 'result' | 'error'>
      return {
        result: json.result,
        error: json.error,
        cache: reported['x-wayleave-cache'] as string | undefined,
      }
    },
  }
}

interface Asked {
  readonly result: unknown
  readonly error: unknown
  readonly cache: string | undefined
}

const blockIn = (params: readonly unknown[]): string => /0x([\da-f]{64})/.exec(JSON.stringify(params))?.[1] ?? ''

/** Waits until the head is known, so that calls about it have a name. */
async function warm(ask: (method: string) => Promise<Asked>): Promise<void> {
  await ask('eth_gasPrice')
  let isKnown = false
  const look = async (): Promise<void> => {
    while (!isKnown) isKnown = (await ask('eth_blockNumber')).cache === 'hit'
  }
  await look()
}

it('a read of the head is asked by its hash, once for all its spellings, and again at the next block', async () => {
  const { ask, nodes, chain } = await start()
  await warm(ask)
  const { calls } = nodes[0]!
  calls.length = 0
  const first = await ask('eth_getBalance', [account, 'latest'])
  expect(first.cache).toBe('miss')
  expect(first.result).toContain(chain.block(100).hash.slice(2))
  expect(await ask('eth_getBalance', [account])).toEqual({ ...first, cache: 'hit' })
  expect(await ask('eth_getBalance', [account.toUpperCase().replace('X', 'x'), '0x64'])).toEqual({
    ...first,
    cache: 'hit',
  })
  expect(calls).toEqual(['eth_getBalance'])
  chain.height = 101
  let next = first
  while (next.result === first.result) next = await ask('eth_getBalance', [account])
  expect(next.result).toContain(chain.block(101).hash.slice(2))
})

it('the number of the head is told by nobody but the gateway', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  nodes[0]!.calls.length = 0
  expect(await ask('eth_blockNumber')).toEqual({ result: '0x64', error: undefined, cache: 'hit' })
  expect(nodes[0]!.calls).toEqual([])
})

it('what a reorganisation replaces is forgotten', async () => {
  const { ask, chain } = await start()
  await warm(ask)
  const old = await ask('eth_getBalance', [account])
  chain.reorganize(98)
  chain.height = 101
  let next = old
  while (next.result === old.result) next = await ask('eth_getBalance', [account, 'latest'])
  expect(next.result).toContain(chain.block(101).hash.slice(2))
  const before = await ask('eth_getBlockByNumber', ['0x64', false])
  expect(before.result).toMatchObject({ hash: chain.block(100).hash })
})

it('a caller who skips the cache has the answer of an upstream, and a project may not allow it', async () => {
  const { ask, nodes, gateway } = await start({
    config: {
      projects: [
        { name: 'open', keys: [{ key }] },
        { name: 'never', keys: [{ key: 'never-key' }], directives: { skipCache: 'never' } },
      ],
    },
  })
  await warm(ask)
  await ask('eth_getBalance', [account])
  nodes[0]!.calls.length = 0
  const skip = { 'X-Wayleave-Skip-Cache': 'true' }
  expect((await ask('eth_getBalance', [account], skip)).cache).toBe('miss')
  expect((await ask('eth_blockNumber', [], skip)).cache).toBeUndefined()
  expect(nodes[0]!.calls).toEqual(['eth_getBalance', 'eth_blockNumber'])
  const refused = await send(gateway.rpc, '/v3/never-key', { body: frame('eth_chainId'), headers: skip })
  expect(JSON.parse(refused.body)).toMatchObject({
    error: { code: -32600, message: 'X-Wayleave-Skip-Cache: the project does not allow it' },
  })
})

it('calls of a batch and over WebSocket have the same answers, and are told where they asked for it', async () => {
  const { ask, nodes, gateway } = await start()
  await warm(ask)
  const { result } = await ask('eth_getBalance', [account])
  nodes[0]!.calls.length = 0
  const body = `[${frame('eth_getBalance', [account], 1)},${frame('eth_getBalance', [account, 'latest'], 2)}]`
  const batch = await send(gateway.rpc, `/v3/${key}`, { body, headers: { 'X-Wayleave-Marks': 'inline' } })
  expect(JSON.parse(batch.body)).toMatchObject([1, 2].map((id) => ({ id, result, wayleave: { cache: 'hit' } })))
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  opened.push(async () => void socket.close())
  socket.send(frame('eth_getBalance', [account], 7))
  expect(await socket.next()).toMatchObject({ id: 7, result })
  expect(nodes[0]!.calls).toEqual([])
})

it('a node that takes no hash is asked as the caller asked, and nothing of that is kept', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  nodes[0]!.answer = (method, params) => {
    if (method !== 'eth_getBalance') return undefined
    return typeof params[1] === 'object'
      ? { error: { code: -32602, message: 'invalid argument 1' } }
      : { result: '0x7' }
  }
  expect((await ask('eth_getBalance', [account])).result).toBe('0x7')
  expect(await ask('eth_getBalance', [account])).toEqual({ result: '0x7', error: undefined, cache: 'miss' })
  await ask('eth_getBalance', [account])
  // It has refused three in a row, and is not asked so again.
  nodes[0]!.calls.length = 0
  expect((await ask('eth_getBalance', [account])).cache).toBeUndefined()
  expect(nodes[0]!.calls).toEqual(['eth_getBalance'])
})

it('nodes that answer a block by its hash with an HTTP error are asked as the caller asked, and after three times so alone', async () => {
  for (const status of [500, 400, 502]) {
    const { ask, nodes } = await start({ count: 2 })
    await warm(ask)
    let isNamed = false
    for (const node of nodes) {
      node.answer = (method, params) => {
        if (method !== 'eth_getBalance') return undefined
        isNamed = typeof params[1] === 'object'
        return { result: '0x7' }
      }
      node.refuse = (method) => (method === 'eth_getBalance' && isNamed ? { status, headers: {} } : undefined)
    }
    for (let i = 0; i < 3; i++) {
      expect(await ask('eth_getBalance', [account])).toEqual({ result: '0x7', error: undefined, cache: 'miss' })
    }
    for (const node of nodes) node.calls.length = 0
    expect(await ask('eth_getBalance', [account])).toEqual({ result: '0x7', error: undefined, cache: undefined })
    expect(nodes.flatMap(({ calls }) => calls).filter((method) => method === 'eth_getBalance')).toHaveLength(1)
  }
})

it('a node that has left the block is asked as the caller asked', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  nodes[0]!.answer = (method, params) => {
    if (method !== 'eth_getBalance') return undefined
    return typeof params[1] === 'object' ? { error: { code: -32000, message: 'header not found' } } : { result: '0x7' }
  }
  expect((await ask('eth_getBalance', [account])).result).toBe('0x7')
})

it('nodes that can serve no block by its hash for now, or are still syncing, are asked as the caller asked', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  for (const message of ['no available upstreams to process a request', 'node is still syncing']) {
    nodes[0]!.answer = (method, params) => {
      if (method !== 'eth_getBalance') return undefined
      return typeof params[1] === 'object' ? { error: { code: 19, message } } : { result: '0x7' }
    }
    expect((await ask('eth_getBalance', [account])).result).toBe('0x7')
  }
})

it('a call that all upstreams fail goes to each as often as without a cache', async () => {
  async function asked(cache: NonNullable<Config['cache']>): Promise<number> {
    const { ask, nodes } = await start({ count: 2, config: { cache } })
    await (cache === false ? ask('eth_gasPrice') : warm(ask))
    for (const node of nodes) {
      node.calls.length = 0
      node.refuse = () => ({ status: 503, headers: {} })
    }
    expect((await ask('eth_getBalance', [account, 'latest'])).error).toBeDefined()
    return nodes.flatMap(({ calls }) => calls).filter((method) => method === 'eth_getBalance').length
  }
  expect(await asked({})).toBe(await asked(false))
})

it('a call that a node has no time for is not asked again', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  nodes[0]!.calls.length = 0
  const error = { code: -32000, message: 'execution aborted (timeout = 5s)' }
  nodes[0]!.answer = (method) => (method === 'eth_call' ? { error } : undefined)
  expect((await ask('eth_call', [{ to: account }])).error).toMatchObject(error)
  expect(nodes[0]!.calls).toEqual(['eth_call'])
})

it('an execution that fails at a block is not asked for again', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  const call = [{ from: account, to: account, value: '0x1' }]
  for (const message of ['insufficient funds for gas * price + value', 'out of gas', 'invalid opcode: INVALID']) {
    nodes[0]!.calls.length = 0
    nodes[0]!.answer = (method) => (method === 'eth_call' ? { error: { code: -32000, message } } : undefined)
    expect((await ask('eth_call', call)).error).toMatchObject({ message: expect.stringContaining(message) as string })
    expect(nodes[0]!.calls).toEqual(['eth_call'])
  }
})

it('a caller sees what it wrote: its reads of the head pass', async () => {
  const { ask, nodes } = await start()
  await warm(ask)
  await ask('eth_getBalance', [account])
  nodes[0]!.calls.length = 0
  await ask('eth_sendRawTransaction', ['0x02'])
  expect((await ask('eth_getBalance', [account])).cache).toBeUndefined()
  expect(nodes[0]!.calls).toContain('eth_getBalance')
})

it('commands of a development node forget all', async () => {
  const { ask, nodes, chain } = await start()
  await warm(ask)
  nodes[0]!.answer = (method) => (method === 'evm_revert' ? { result: true } : undefined)
  const { hash } = chain.block(90)
  await ask('eth_getBlockByHash', [hash, false])
  expect((await ask('eth_getBlockByHash', [hash, false])).cache).toBe('hit')
  await ask('evm_revert', ['0x1'])
  expect((await ask('eth_getBlockByHash', [hash, false])).cache).toBe('miss')
})

it('null, and what is empty above the finalized block, is asked for each time', async () => {
  const { ask } = await start()
  await warm(ask)
  const hash = `0x${'12'.repeat(32)}`
  await ask('eth_getTransactionReceipt', [hash])
  for (const [method, params] of [
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getLogs', [{ blockHash: hash }]],
  ] as const) {
    await ask(method, params)
    expect((await ask(method, params)).cache).toBe('miss')
  }
})

it('projects of different groups share no answer, and two networks none', async () => {
  const chain = freshChain(100)
  const [one, other] = await Promise.all([startChainNode(chain, 1), startChainNode(chain, 2)])
  opened.push(
    () => one.close(),
    () => other.close(),
  )
  const network = (...upstreams: readonly object[]) =>
    ({ kind: 'evm', chainId: 1, upstreams, followHeads: true }) as never
  const gateway = await startTestGateway([], {
    cache: {},
    networks: {
      mainnet: network({ url: one.url, groups: ['a'] }, { url: other.url, groups: ['b'] }),
      second: network({ url: other.url }),
    },
    projects: ['a', 'b']
      .map((name) => ({ name, upstreams: [name], keys: [{ key: `key-of-${name}` }] }))
      .concat([{ name: 'all', keys: [{ key: 'key-of-all' }] } as never]),
  })
  opened.push(() => gateway.close(0))
  const block = chain.block(90)
  const { hash } = block
  one.answer = (method) => (method === 'eth_getHeaderByHash' ? { result: { ...block, by: 'one' } } : undefined)
  other.answer = (method) => (method === 'eth_getHeaderByHash' ? { result: { ...block, by: 'other' } } : undefined)
  const ask = async (name: string, path = '') => {
    const body = frame('eth_getHeaderByHash', [hash])
    const answer = await send(gateway.rpc, `${path}/v3/key-of-${name}`, { body })
    return (JSON.parse(answer.body) as { result: { by: string } }).result.by
  }
  expect([await ask('a'), await ask('a'), await ask('b'), await ask('b')]).toEqual(['one', 'one', 'other', 'other'])
  one.calls.length = 0
  other.calls.length = 0
  expect([await ask('a'), await ask('b'), await ask('all', '/second')]).toEqual(['one', 'other', 'other'])
  expect([one.calls, other.calls]).toEqual([[], ['eth_getHeaderByHash']])
})

it('a network without a cache asks for each call, and has no mark', async () => {
  const { ask, nodes } = await start({ network: { cache: false } })
  await ask('eth_gasPrice')
  nodes[0]!.calls.length = 0
  await ask('eth_getBlockByHash', [`0x${'12'.repeat(32)}`, false])
  expect((await ask('eth_getBlockByHash', [`0x${'12'.repeat(32)}`, false])).cache).toBeUndefined()
  expect(nodes[0]!.calls).toEqual(['eth_getBlockByHash', 'eth_getBlockByHash'])
})

it('hits and misses are counted by class, bytes and entries by network', async () => {
  const { ask, gateway } = await start()
  await warm(ask)
  await ask('eth_getBalance', [account])
  await ask('eth_getBalance', [account])
  const { body: text } = await send(gateway.admin, '/metrics')
  expect(text).toMatch(/wayleave_cache_answers_total\{network="mainnet",class="read",outcome="hit"\} [1-9]/)
  expect(text).toMatch(/wayleave_cache_answers_total\{network="mainnet",class="read",outcome="miss"\} [1-9]/)
  expect(text).toMatch(/wayleave_cache_bytes [1-9]/)
  expect(text).toMatch(/wayleave_cache_answer_bytes\{network="mainnet"\} [1-9]/)
  expect(text).toMatch(/wayleave_cache_entries\{network="mainnet"\} [1-9]/)
  expect(text).toMatch(/wayleave_cache_evictions_total\{network="mainnet"\} 0/)
})
