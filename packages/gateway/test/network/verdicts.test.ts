import { describe, expect, it, onTestFinished } from 'vitest'
import { evm } from '@wayleave/network/internal/kinds/evm'
import { verdictsOf } from '@wayleave/network/internal/upstreams/verdicts'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { type Answer, call, frame, key, send, startTestGateway } from '../support.ts'

interface Reported extends Pick<Answer, 'status' | 'headers'> {
  readonly body: { readonly result?: unknown; readonly error?: NodeAnswer['error'] }
  readonly text: string
}

interface Scene {
  readonly nodes: readonly ChainNode[]
  ask(method: string, params?: readonly unknown[]): Promise<Reported>
}

/** Two nodes of one chain; the first one is asked first. */
async function begin(count = 2): Promise<Scene> {
  const chain = testChain(500)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  const upstreams = nodes.map(({ url }) => url)
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const gateway = await startTestGateway([], { networks })
  onTestFinished(() => gateway.close(0))
  return {
    nodes,
    async ask(method, params = []) {
      const { status, headers, body } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
      return { status, headers, body: JSON.parse(body), text: body }
    },
  }
}

/** Answers calls of one method by an error. */
const failing =
  (method: string, error: NodeAnswer['error']): ChainNode['answer'] =>
  (asked) =>
    asked === method ? { error: error! } : undefined

const address = `0x${'ab'.repeat(20)}`
const balance = ['eth_getBalance', [address, 'latest']] as const

/** Errors in the words of nodes and providers, see the table of `evm-types`. */
const elsewhere: readonly (readonly [what: string, error: NonNullable<NodeAnswer['error']>])[] = [
  ['a rate limit', { code: 429, message: 'Your app has exceeded its compute units per second capacity' }],
  [
    'a rate limit that says for how long',
    {
      code: -32005,
      message: 'daily request count exceeded, request rate limited',
      data: { rate: { backoff_seconds: 30 } },
    },
  ],
  ['a quota', { code: -32005, message: 'daily request count exceeded, request rate limited' }],
  ['a missing trie node', { code: -32000, message: 'missing trie node 6fa1c (path ) state 0x6f is not available' }],
  ['a pruned state', { code: -32000, message: 'state at block 0x1f4 is pruned' }],
  ['a header that is not there', { code: -32000, message: 'header not found' }],
  ['an internal error', { code: -32603, message: 'Internal error' }],
  ['a method that is missing', { code: -32601, message: 'the method eth_getBalance does not exist/is not available' }],
  ['a timeout', { code: -32000, message: 'request timed out' }],
  ['a key that is refused', { code: -32000, message: 'Must be authenticated!' }],
]

describe.each(elsewhere)('%s inside HTTP 200', (_what, error) => {
  it('is not told while another upstream answers, nor asked for again and again', async () => {
    const { nodes, ask } = await begin()
    const [bad] = nodes
    bad!.answer = failing('eth_getBalance', error)
    for (let i = 0; i < 5; i++) {
      const { status, body } = await ask(...balance)
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: '0x2' }])
    }
    expect(bad!.calls.length).toBeGreaterThan(0)
  })
})

it('an upstream that asked to be left alone is left alone, and one that lacks a method has the others', async () => {
  const { nodes, ask } = await begin()
  const [limited] = nodes
  limited!.answer = failing('eth_getBalance', {
    code: -32005,
    message: 'rate limited',
    data: { rate: { backoff_seconds: 30 } },
  })
  for (let i = 0; i < 10; i++) await ask(...balance)
  expect(limited!.calls).toEqual(['eth_getBalance'])

  const other = await begin()
  const [lacking] = other.nodes
  lacking!.answer = failing('eth_getBalance', { code: -32601, message: 'the method eth_getBalance does not exist' })
  for (let i = 0; i < 10; i++) await other.ask(...balance)
  expect((await other.ask('eth_gasPrice')).body.result).toBe('0x1')
  expect(lacking!.calls).toEqual(['eth_getBalance', 'eth_gasPrice'])
})

it('HTTP 429 with Retry-After is heeded, too', async () => {
  const { nodes, ask } = await begin()
  nodes[0]!.refuse = (method) =>
    method === 'eth_getBalance' ? { status: 429, headers: { 'retry-after': '30' } } : undefined
  for (let i = 0; i < 10; i++) expect((await ask(...balance)).body.result).toBe('0x2')
  expect(nodes[0]!.calls).toEqual(['eth_getBalance'])
})

it.each([
  ['a revert', 'eth_call', { code: 3, message: 'execution reverted: no', data: '0x08c379a0' }],
  ['a revert without data', 'eth_estimateGas', { code: -32000, message: 'execution reverted' }],
  ['a transaction that is known', 'eth_sendRawTransaction', { code: -32000, message: 'already known' }],
  [
    'a nonce that is used',
    'eth_sendRawTransaction',
    { code: -32000, message: 'nonce too low: next nonce 7, tx nonce 6' },
  ],
  ['params that are wrong', 'eth_call', { code: -32602, message: 'invalid argument 0: hex string without 0x prefix' }],
])('%s is final, byte for byte', async (_what, method, error) => {
  const { nodes, ask } = await begin()
  nodes[0]!.answer = failing(method, error)
  const { status, text } = await ask(method, [{ to: address }, 'latest'])
  expect(status).toBe(200)
  expect(text).toBe(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
  expect(nodes.map(({ calls }) => calls)).toEqual([[method], []])
})

describe('a write', () => {
  const sent = ['eth_sendTransaction', [{}]] as const

  it.each([
    ['an internal error', { code: -32603, message: 'Internal error' }],
    ['a timeout', { code: -32000, message: 'request timed out' }],
    ['words that nobody knows', { code: -32000, message: 'the flux is out of phase' }],
  ])('is not sent again after %s: it may have been taken', async (_what, error) => {
    const { nodes, ask } = await begin()
    nodes[0]!.answer = failing('eth_sendTransaction', error)
    expect((await ask(...sent)).body).toEqual({ jsonrpc: '2.0', id: 1, error })
    expect(nodes.map(({ calls }) => calls)).toEqual([['eth_sendTransaction'], []])
  })

  it.each([
    ['a rate limit', { code: 429, message: 'Too Many Requests' }],
    ['a method that is missing', { code: -32601, message: 'the method does not exist' }],
  ])('goes on after %s: it was not taken', async (_what, error) => {
    const { nodes, ask } = await begin()
    nodes[0]!.answer = failing('eth_sendTransaction', error)
    expect((await ask(...sent)).body.result).toBe('0x2')
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1])
  })

  it('is not sent again where its connection broke', async () => {
    const { nodes, ask } = await begin()
    nodes[0]!.answer = (method) => (method === 'eth_sendTransaction' ? 'cut' : undefined)
    const { status, body } = await ask(...sent)
    expect([status, body.error?.message]).toEqual([200, expect.stringMatching('^the transaction may have been sent')])
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 0])
  })
})

it('a write that only some nodes have is no missing method where one of them may have done it, nor afterwards', async () => {
  const { nodes, ask } = await begin()
  const [lacking, bundler] = nodes
  const isSent = (method: string) => method === 'eth_sendUserOperation'
  lacking!.answer = failing('eth_sendUserOperation', { code: -32601, message: 'Method not found' })
  bundler!.refuse = (method) => (isSent(method) ? { status: 502, headers: {} } : undefined)
  for (let i = 0; i < 3; i++) expect((await ask('eth_sendUserOperation', [{}, address])).body.error?.code).toBe(-32603)
  expect(nodes.map(({ calls }) => calls.filter(isSent).length)).toEqual([1, 3])
  bundler!.refuse = () => undefined
  expect((await ask('eth_sendUserOperation', [{}, address])).body.result).toBe('0x2')
})

it('a read that only some nodes have goes on after a failure, and is asked of each node that lacks it once', async () => {
  const { nodes, ask } = await begin(3)
  nodes[0]!.answer = failing('ots_getBlockDetails', { code: -32601, message: 'Method not found' })
  nodes[1]!.answer = failing('ots_getBlockDetails', { code: -32603, message: 'Internal error' })
  for (let i = 0; i < 5; i++) expect((await ask('ots_getBlockDetails', [1])).body.result).toBe('0x3')
  expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 5])
})

describe('where no upstream has an answer', () => {
  const limited = {
    code: -32005,
    message: 'daily request count exceeded for key k3y, see https://provider.example/k3y',
  }
  const missing = { code: -32601, message: 'the method eth_getBalance does not exist' }

  it('its caller is told how they fared, in none of their words', async () => {
    const { nodes, ask } = await begin(3)
    nodes[0]!.answer = nodes[1]!.answer = failing('eth_getBalance', limited)
    await nodes[2]!.stop()
    const { status, headers, body, text } = await ask(...balance)
    expect([status, body.error?.code]).toEqual([503, -32603])
    expect(body.error?.message).toMatch(/^no upstream answered: 2 (?:rate limited|out of quota), 1 unreachable$/)
    expect(headers['retry-after']).toBeDefined()
    expect(text).not.toMatch(/k3y|http|daily/)
  })

  const spoilt = [
    ['is down', (node: ChainNode) => void node.stop()],
    [
      'is rate limited',
      (node: ChainNode) => void (node.answer = (method) => (method === 'eth_chainId' ? undefined : { error: limited })),
    ],
    ['hangs', (node: ChainNode) => void (node.answer = () => 'hang')],
    ['lags', (node: ChainNode) => void (node.stuckAt = 0)],
  ] as const

  /** Starts a gateway over three nodes, of which the first two lack a method. */
  async function beginWithout(method: string, tier: 'primary' | 'fallback' = 'primary') {
    const chain = testChain(500)
    const nodes = await Promise.all([1, 2, 3].map((name) => startChainNode(chain, name)))
    for (const node of nodes) onTestFinished(() => node.close())
    nodes[0]!.answer = nodes[1]!.answer = failing(method, missing)
    const upstreams = nodes.map(({ url }, i) => (i === 2 ? { url, tier } : url))
    const networks = {
      mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true, timeouts: { default: '4s' } },
    } as const
    const gateway = await startTestGateway([], { networks })
    onTestFinished(() => gateway.close(0))
    const ask = async () => {
      const { status, body } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, balance[1]) })
      return { status, body: JSON.parse(body) }
    }
    return { third: nodes[2]!, nodes, ask }
  }

  it.each(spoilt)(
    '-32601 of two is no answer while a third one, which has answered the method, %s',
    async (_, spoil) => {
      const { third, ask } = await beginWithout('eth_getBalance')
      expect(await ask()).toMatchObject({ status: 200, body: { result: expect.anything() } })
      spoil(third)
      for (let i = 0; i < 3; i++) {
        const { status, body } = await ask()
        // Until its head is read again, an upstream that lags answers.
        if (body.result !== undefined) continue
        expect(status).toBeGreaterThanOrEqual(500)
        expect([-32603, -32002]).toContain(body.error.code)
      }
    },
  )

  it.each(spoilt)(
    '-32601 of two is the answer while a third one, which has never answered the method, %s',
    async (_, spoil) => {
      const { third, ask } = await beginWithout('eth_getBalance')
      spoil(third)
      for (let i = 0; i < 3; i++) {
        expect(await ask()).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, error: missing } })
      }
    },
  )

  it.each(['primary', 'fallback'] as const)(
    '-32601 of two is the answer to a method in no table, which each node is asked for once, whatever befalls a third one that is a %s',
    async (tier) => {
      const spoil = [
        ...spoilt,
        ['breaks', (node: ChainNode) => void (node.refuse = () => ({ status: 502, headers: {} }))],
      ] as const
      for (const [what, befall] of spoil) {
        const { third, nodes, ask } = await beginWithout('eth_foo', tier)
        // Asked before its lag is known, it lacks the method, too.
        third.answer = failing('eth_foo', missing)
        befall(third)
        for (let i = 0; i < 30; i++) {
          const { status, body } = await ask()
          expect([what, status, body.error.code]).toEqual([what, 200, -32601])
        }
        expect(nodes.map(({ calls }) => calls.length).toSpliced(2)).toEqual([1, 1])
        expect(third.calls.filter((method) => method === 'eth_foo').length).toBeLessThanOrEqual(1)
      }
    },
  )

  it('-32601 of all is the answer', async () => {
    const { nodes, ask } = await begin()
    for (const node of nodes) node.answer = failing('eth_getBalance', missing)
    const { status, text } = await ask(...balance)
    expect([status, text]).toEqual([200, JSON.stringify({ jsonrpc: '2.0', id: 1, error: missing })])
  })

  it('a block that has too many logs for all is told as the first one said it', async () => {
    const { nodes, ask } = await begin()
    const error = {
      code: -32602,
      message: 'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    }
    for (const node of nodes) node.answer = failing('eth_getLogs', error)
    const { body } = await ask('eth_getLogs', [{ fromBlock: '0x64', toBlock: '0x64' }])
    expect(body.error).toEqual(error)
    expect(nodes.map(({ calls }) => calls)).toEqual([['eth_getLogs'], ['eth_getLogs']])
  })
})

it('a verdict tells how long a node wants to be left alone', () => {
  const verdict = verdictsOf(evm)
  const error = { code: -32005, message: 'rate limit exceeded, retry in 7s' }
  expect(verdict(call('eth_getBalance'), error)).toEqual({ kind: 'rate_limited', retryAfterMs: 7_000 })
  expect(verdict(call('eth_getBalance'), { code: 3, message: 'execution reverted' })).toBeUndefined()
  expect(verdict(call('eth_sendRawTransaction'), { code: -32603, message: 'Internal error' })).toBeUndefined()
})
