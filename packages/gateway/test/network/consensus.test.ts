import { createLog } from '@wayleave/gateway'
import type { UpstreamOrder } from '@wayleave/upstream'
import { expect, it, onTestFinished } from 'vitest'
import type { ConsensusConfig } from '@wayleave/network/internal/config/consensus-config'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, until } from '../support.ts'

const height = 500
const truth = `0x${'0a'.padStart(64, '0')}`
const lie = `0x${'0b'.padStart(64, '0')}`

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function begin(
  consensus: Partial<ConsensusConfig> | undefined,
  count = 3,
  policy?: UpstreamOrder,
  spell: (url: string, i: number) => readonly string[] = (url) => [url],
) {
  const chain = testChain(height)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  const params: (readonly unknown[])[] = []
  answer(nodes, () => ({ result: truth }), params)
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  const networks = {
    mainnet: {
      kind: 'evm',
      chainId: 1,
      followHeads: true,
      upstreams: nodes.flatMap(({ url }, i) => spell(url, i)).map((url) => ({ url })),
      ...(consensus && {
        consensus: { methods: ['eth_call', 'eth_getStorageAt', 'eth_getBlockByNumber'], ...consensus },
      }),
      ...(policy && { policy }),
    },
  } as const
  const gateway = await startTestGateway([], { networks }, { log })
  onTestFinished(() => gateway.close(0))
  return {
    nodes,
    chain,
    params,
    lines,
    metrics: async () => (await send(gateway.admin, '/metrics', { method: 'GET' })).body,
    async ask(method: string, args: readonly unknown[]) {
      const { status, headers, body } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, args) })
      return { status, headers, ...(JSON.parse(body) as Answer) }
    },
  }
}

/** Has nodes answer `eth_call` and `eth_getStorageAt`, and tells the params. */
function answer(nodes: readonly ChainNode[], give: () => NodeAnswer, params: (readonly unknown[])[] = []): void {
  for (const node of nodes) {
    node.answer = (method, args) => {
      if (method !== 'eth_call' && method !== 'eth_getStorageAt') return undefined
      params.push(args)
      return give()
    }
  }
}

const place = [`0x${'11'.repeat(20)}`, '0x0', 'latest']
const asked = [{ to: `0x${'11'.repeat(20)}` }, 'latest']

it('two of three agree at one block, the liar is told apart, and the cost is shown', async () => {
  const { nodes, ask, params, chain, metrics, lines } = await begin({})
  answer([nodes[1]!], () => ({ result: lie }), params)
  for (let i = 0; i < 5; i++) {
    const { result, headers } = await ask('eth_getStorageAt', place)
    expect(result).toBe(truth)
    expect(headers['x-wayleave-attempts']).toBe('3')
  }
  const pinned = { blockHash: chain.block(height).hash }
  await until(() => params.length === 15)
  expect(params.map(([, , block]) => block)).toEqual(params.map(() => pinned))
  await until(() => lines.some((line) => line.includes('an upstream answers otherwise than those that agree')))
  const printed = await metrics()
  expect(printed).toContain('wayleave_consensus_total{network="mainnet",outcome="agreed"} 5')
  expect(printed).toMatch(
    /wayleave_upstream_failures_total\{network="mainnet",endpoint="upstream-2",failure="false_answer"\} \d/,
  )
  const purposes = [...printed.matchAll(/purpose="(caller|consensus)"\} (\d+)/g)]
  const total = (name: string): number =>
    purposes.reduce((sum, [, purpose, n]) => sum + (purpose === name ? Number(n) : 0), 0)
  expect({ caller: total('caller'), consensus: total('consensus') }).toEqual({ caller: 5, consensus: 10 })
})

/** Ways to write the address of one node. */
const spellings = (url: string): readonly string[] => [url, `${url}/`, url.replace('127.0.0.1', 'LOCALHOST')]

it('a node that is listed three times has one word, and loses against two others', async () => {
  const { nodes, ask, params } = await begin({}, 3, undefined, (url, i) => (i === 0 ? spellings(url) : [url]))
  answer([nodes[0]!], () => ({ result: lie }), params)
  for (let i = 0; i < 10; i++) expect((await ask('eth_getStorageAt', place)).result).toBe(truth)
})

it('a node that is listed three times beside another one agrees with nobody', async () => {
  const { nodes, ask } = await begin({}, 2, undefined, (url, i) => (i === 0 ? spellings(url) : [url]))
  answer([nodes[0]!], () => ({ result: lie }))
  expect(await ask('eth_getStorageAt', place)).toMatchObject({ status: 503, error: { code: -32603 } })
})

it('nobody is blamed for what code of a caller returns, as it may ask for the gas that is left', async () => {
  const { nodes, ask, metrics, lines } = await begin({})
  answer([nodes[1]!], () => ({ result: lie }))
  for (let i = 0; i < 3; i++) expect((await ask('eth_call', asked)).result).toBe(truth)
  await until(() => lines.some((line) => line.includes('an upstream answers otherwise than those that agree')))
  expect(await metrics()).not.toContain('failure="false_answer"')
})

it('null for a block that callers know of is no answer', async () => {
  const { nodes, ask, chain } = await begin({ agreement: 2 }, 4)
  const reported = `0x${height.toString(16)}`
  await ask('eth_getBlockByNumber', ['latest', false])
  for (const node of nodes.slice(0, 2)) {
    node.answer = (method) => (method === 'eth_getBlockByNumber' ? { result: null } : undefined)
  }
  expect((await ask('eth_getBlockByNumber', [reported, false])).result).toEqual(chain.block(height))
})

it('a dispute is -32603 with 503, and says so', async () => {
  const { nodes, ask } = await begin({})
  nodes.forEach((node, i) => answer([node], () => ({ result: `0x0${i}` })))
  const { status, error } = await ask('eth_call', asked)
  expect(status).toBe(503)
  expect(error).toMatchObject({
    code: -32603,
    message: 'upstreams disagree on the answer: 1 of 3 gave the same, 2 are needed',
  })
})

it('a dispute may be decided by the upstream that has the served head', async () => {
  const { nodes, ask } = await begin({ onDispute: 'head' })
  nodes.forEach((node, i) => answer([node], () => ({ result: `0x0${i}` })))
  const { status, result } = await ask('eth_call', asked)
  expect({ status, result }).toEqual({ status: 200, result: expect.stringMatching(/^0x0[012]$/) })
})

it('blocks are compared, too, and a latest one is the same for all', async () => {
  const { nodes, ask, chain } = await begin({})
  const { blockNumber, ...forged } = { ...chain.block(height), stateRoot: lie, blockNumber: 1 }
  expect(blockNumber).toBe(1)
  nodes[0]!.answer = (method) => (method.startsWith('eth_getBlockBy') ? { result: forged } : undefined)
  const { result } = await ask('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
  expect(result).toEqual(chain.block(height))
})

it('a call at the pending block, and one of another method, is asked once', async () => {
  const { nodes, ask } = await begin({})
  await ask('eth_call', [asked[0], 'pending'])
  await ask('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
  const calls = nodes.flatMap((node) => node.calls).filter((method) => !method.startsWith('eth_getBlock'))
  expect(calls.toSorted()).toEqual(['eth_call', 'eth_getBalance'])
})

it('an error that means a block is missing has another upstream asked, and an answer of too few is refused', async () => {
  const { nodes, ask } = await begin({})
  answer(nodes.slice(0, 2), () => ({ error: { code: -32000, message: 'missing trie node abc' } }))
  const { status, error } = await ask('eth_call', asked)
  expect(status).toBe(503)
  expect(error?.message).toBe('too few upstreams answered to compare their answers: 1, and 2 are needed')
})

it('a policy that throws breaks no call, and is told', async () => {
  const { ask, lines } = await begin(undefined, 2, () => {
    throw new TypeError('no such member')
  })
  expect((await ask('eth_call', asked)).result).toBe(truth)
  expect(lines.some((line) => line.includes('the policy has thrown; the default one decides'))).toBe(true)
})

it('a policy chooses who is asked', async () => {
  const { ask, nodes } = await begin(undefined, 3, (eligible) => eligible.toReversed())
  for (let i = 0; i < 5; i++) await ask('eth_call', asked)
  expect(nodes.map(({ calls }) => calls.filter((method) => method === 'eth_call').length)).toEqual([0, 0, 5])
})

it('a policy that leaves upstreams out orders those that are compared, and is told of no fault', async () => {
  const policy: UpstreamOrder = (eligible) => eligible.filter(({ endpoint }) => endpoint.name === 'upstream-3')
  const { ask, nodes, lines } = await begin({ participants: 2 }, 3, policy)
  for (let i = 0; i < 5; i++) expect((await ask('eth_call', asked)).result).toBe(truth)
  expect(nodes.map(({ calls }) => calls.filter((method) => method === 'eth_call').length)[2]).toBe(5)
  expect(lines.filter((line) => line.includes('policy'))).toEqual([])
})

it.each<[string, string]>([
  ['debug_traceBlockByHash', `0x${'33'.repeat(32)}`],
  ['trace_block', '0x1'],
])('nobody is blamed for the words of a tracer, or what code of a caller in it returns: %s', async (method, block) => {
  const { nodes, ask, metrics, lines } = await begin({ methods: [method] })
  nodes.forEach((node, i) => {
    const trace = { action: {}, traceAddress: [], type: 'call', result: { output: i === 1 ? '0x01' : '0x02' } }
    node.answer = (called) => (called === method ? { result: [trace] } : undefined)
  })
  await ask(method, [block])
  await until(() => lines.some((line) => line.includes('an upstream answers otherwise than those that agree')))
  expect(await metrics()).not.toContain('failure="false_answer"')
})
