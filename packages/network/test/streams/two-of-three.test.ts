import { describe, expect, it, onTestFinished } from 'vitest'
import { type NodeAnswer, startChainNode } from '../chain-node.ts'
import { frame, openCalledNetwork } from '../callers.ts'
import { until } from '../support.ts'
import { trueAnswer, type TrueBlock, trueChain } from '../true-chain.ts'

const height = 300
const blocks = 5

type Level = 'off' | 'consistent' | 'proven'

/** What a node gives for the logs of a block, and for its receipts. */
type Spoiled = (block: TrueBlock, kind: 'logs' | 'receipts') => NodeAnswer | 'hang' | 'cut'

const failures: Readonly<Record<string, Spoiled>> = {
  errors: () => ({ error: { code: -32_000, message: 'logs are not available' } }),
  'limits of rate': () => ({ error: { code: -32_005, message: 'rate limit exceeded' } }),
  null: () => ({ result: null }),
  'no answer': () => 'hang',
  'broken connections': () => 'cut',
  'nothing at all': () => ({ result: [] }),
}
/** Refused where the bloom filter of the block is looked at. */
const plainLies: Readonly<Record<string, Spoiled>> = {
  'one log too few': ({ logs, receipts }, kind) =>
    kind === 'logs' ? { result: logs.slice(1) } : { result: [{ ...receipts[0], logs: receipts[0]!.logs.slice(1) }] },
  'other topics': ({ logs, receipts }, kind) => {
    const other = logs.map((log) => ({ ...log, topics: [`0x${'7'.repeat(64)}`] }))
    return kind === 'logs' ? { result: other } : { result: [{ ...receipts[0], logs: other }] }
  },
}
/** Refused where the receipts' root is looked at. */
const fineLies: Readonly<Record<string, Spoiled>> = {
  'other data': ({ logs, receipts }, kind) => {
    const other = logs.map((log) => ({ ...log, data: `0x${'9'.repeat(64)}` }))
    return kind === 'logs' ? { result: other } : { result: [{ ...receipts[0], logs: other }] }
  },
  'a log twice': ({ logs, receipts }, kind) => {
    const double = [...logs, { ...logs.at(-1)!, logIndex: '0x2' }]
    return kind === 'logs' ? { result: double } : { result: [{ ...receipts[0], logs: double }] }
  },
}

/** Three nodes of one chain, two of which spoil logs and receipts, and a connection with a subscription to each kind. */
async function begin(verify: Level, spoil: readonly Spoiled[]) {
  const chain = trueChain(height)
  const nodes = await Promise.all([1, 2, 3].map((name) => startChainNode(chain, name)))
  nodes.forEach((node, i) => {
    onTestFinished(() => node.close())
    node.answer = (method, params) => {
      const reported = trueAnswer(chain, method, params)
      const spoiled = spoil[i]
      if (spoiled === undefined || (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts')) return reported
      const hash = method === 'eth_getLogs' ? (params[0] as { readonly blockHash?: string }).blockHash : params[0]
      for (let number = chain.height; number > height; number--) {
        const block = chain.block(number)
        if (block.hash === hash) return spoiled(block, method === 'eth_getLogs' ? 'logs' : 'receipts')
      }
      return reported
    }
  })
  const upstreams = nodes.map(({ url, ws }, i) => ({ name: 'abc'[i]!, url, ws }))
  const { network, ask, openSocket } = await openCalledNetwork(
    { chainId: 1, upstreams, verify },
    { random: Math.random },
  )
  onTestFinished(() => network.close())
  // A busy machine may need its time until the head is known.
  while ((await ask('eth_blockNumber')).result === undefined);
  const subscribe = async (...params: readonly unknown[]) => {
    const socket = openSocket()
    socket.send(frame('eth_subscribe', params))
    expect(await socket.next()).toMatchObject({ result: expect.any(String) })
    const events = (): readonly unknown[] => socket.messages.slice(1).map((text) => JSON.parse(text).params.result)
    return { socket, events }
  }
  return { chain, nodes, subscribe }
}

/** Pairs of ways: the two nodes fail each in its own. */
const scenes = (level: Level, ways: Readonly<Record<string, Spoiled>>) => {
  const all = Object.entries(ways)
  return all.flatMap(([name, spoiled], i) => {
    const [otherName, other] = all[i + 1] ?? all[0]!
    return i % 2 === 0 ? [[level, name, otherName, [spoiled, other]] as const] : []
  })
}

describe('where logs and receipts cannot be had of two nodes of three', () => {
  it.each([
    ...scenes('off', failures),
    ...scenes('consistent', { ...failures, ...plainLies }),
    ...scenes('proven', { ...failures, ...plainLies, ...fineLies }),
  ])('under verify: %s, which give %s and %s, each log and receipt is told once', async (verify, _a, _b, spoil) => {
    const { chain, nodes, subscribe } = await begin(verify, spoil)
    const [heads, logs, some] = await Promise.all([
      subscribe('newHeads'),
      subscribe('logs', {}),
      subscribe('logs', { topics: [`0x${'1'.padStart(64, '0')}`] }),
    ])
    const receipts = await subscribe('transactionReceipts', { transactionHashes: [] })
    for (let i = 0; i < blocks; i++) {
      chain.height++
      for (const node of nodes) node.pushHead()
      await until(() => heads.events().length === i + 1)
    }
    const made = Array.from({ length: blocks }, (_, i) => chain.block(height + 1 + i))
    const all = made.flatMap((block) => block.logs)
    await until(() => logs.events().length >= all.length && some.events().length >= blocks)
    await until(() => receipts.events().length >= blocks)
    expect(logs.events()).toEqual(all)
    expect(some.events()).toEqual(all.filter((_, i) => i % 2 === 0))
    expect(receipts.events().flat()).toEqual(made.flatMap((block) => block.receipts))
    for (const { socket } of [heads, logs, some, receipts]) expect(socket.closed).toBeUndefined()
  })
})
