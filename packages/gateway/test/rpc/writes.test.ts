import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, toldBy } from '../support.ts'

/** The example of EIP-155. */
const raw =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
const hash = '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788'
const sender = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f'
const nonce = 9
const hex = (number: number): string => `0x${number.toString(16)}`

const secretive = 'f'.repeat(32)

/** Nodes of one chain; the first one is asked first, and in `groups` each is in the one named. A second project has the group `own` alone. */
async function begin(count = 2, groups: readonly string[] = []) {
  const chain = testChain(500)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  const upstreams = nodes.map(({ url }, i) => ({ url, ...(groups[i] !== undefined && { groups: [groups[i]] }) }))
  const timeouts = { default: '6s' }
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true, timeouts } } as const
  const projects = [
    { name: 'open', keys: [{ key }] },
    { name: 'secretive', keys: [{ key: secretive }], upstreams: ['own'] },
  ]
  const gateway = await startTestGateway([], { networks, ...(groups.length > 0 && { projects }) })
  onTestFinished(() => gateway.close(0))
  const ask = async (method: string, params: readonly unknown[] = [], as = key) => {
    const answer = await send(gateway.rpc, `/v3/${as}`, { body: frame(method, params) })
    const { status, headers, body } = answer
    // A node's errors have no trace id.
    const told = body.includes('"traceId"') ? toldBy(answer) : JSON.parse(body)
    return { status, headers, ...(told as { result?: unknown; error?: { code: number; message: string } }) }
  }
  // Before its chain is known, a node is not asked.
  while ((await ask('eth_gasPrice')).result !== '0x1');
  return {
    nodes,
    sends: () => nodes.map(({ calls }) => calls.filter((method) => method === 'eth_sendRawTransaction').length),
    ask,
  }
}

type Reaction = NodeAnswer | 'hang' | 'cut'
const known = { error: { code: -32000, message: 'already known' } }
const tooLow = { error: { code: -32000, message: 'nonce too low: next nonce 10, tx nonce 9' } }

/** Has a node react to transactions, and to the question for one. */
function react(node: ChainNode, sending: Reaction, found: unknown = null): void {
  node.answer = (method) => {
    if (method === 'eth_sendRawTransaction') return sending
    return method === 'eth_getTransactionByHash' ? { result: found } : undefined
  }
}

describe('a raw transaction', () => {
  it.each<[string, Reaction]>([
    ['never answers', 'hang'],
    ['breaks the connection off', 'cut'],
    ['has an internal error', { error: { code: -32603, message: 'Internal error' } }],
    ['gave up', { error: { code: -32000, message: 'request timed out' } }],
  ])('goes to the second node where the first one %s, once to each', async (_what, first) => {
    for (const second of [{ result: hash }, known]) {
      const { nodes, ask, sends } = await begin()
      react(nodes[0]!, first)
      react(nodes[1]!, second)
      expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, result: hash })
      expect(sends()).toEqual([1, 1])
    }
  })

  it('whose nonce is used at the second node is looked up there', async () => {
    for (const [found, told] of [
      [{ hash }, { result: hash }],
      [null, tooLow],
      [{ hash: `0x${'00'.repeat(32)}` }, tooLow],
    ] as const) {
      const { nodes, ask, sends } = await begin()
      react(nodes[0]!, 'cut')
      react(nodes[1]!, tooLow, found)
      expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, ...told })
      expect(sends()).toEqual([1, 1])
    }
  })

  it.each([
    ['known', known],
    ['of a used nonce', tooLow],
    ['poor', { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }],
  ])('that the first node says is %s is an error, byte for byte', async (_what, told) => {
    const { nodes, ask, sends } = await begin()
    react(nodes[0]!, told, { hash })
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, ...told })
    expect(sends()).toEqual([1, 0])
  })

  it('that has blobs, or is none, is sent once', async () => {
    for (const odd of [`0x03${raw.slice(2)}`, `${raw}0`, '0x', 7]) {
      const { nodes, ask, sends } = await begin()
      react(nodes[0]!, 'cut')
      expect(await ask('eth_sendRawTransaction', [odd])).toMatchObject({ status: 502 })
      expect(sends()).toEqual([1, 0])
    }
  })

  it('that nobody answers in time is told how the nodes fared', async () => {
    const { nodes, ask, sends } = await begin()
    for (const node of nodes) react(node, 'hang')
    const { status, error } = await ask('eth_sendRawTransaction', [raw])
    expect([status, error]).toEqual([504, { code: -32002, message: 'no upstream answered: 2 timed out' }])
    expect(sends()).toEqual([1, 1])
  })
})

it('a transaction that the node signs is sent once', async () => {
  const { nodes, ask } = await begin()
  nodes[0]!.answer = (method) => (method === 'eth_sendTransaction' ? 'cut' : undefined)
  expect((await ask('eth_sendTransaction', [{}])).error?.message).toBe('no upstream answered: 1 unreachable')
  expect(nodes.map(({ calls }) => calls.filter((method) => method === 'eth_sendTransaction').length)).toEqual([1, 0])
})

describe('the pending nonce of a sender whose transaction was accepted', () => {
  /** Nodes whose pending nonces are these from now on; transactions are accepted. */
  const tell = (nodes: readonly ChainNode[], ...nonces: readonly number[]): void =>
    nodes.forEach((node, i) => {
      node.answer = (method) => {
        if (method === 'eth_sendRawTransaction') return { result: hash }
        return method === 'eth_getTransactionCount' ? { result: hex(nonces[i]!) } : undefined
      }
    })
  const pending = ['eth_getTransactionCount', [sender, 'pending']] as const

  it('is asked of a node that has it', async () => {
    const { nodes, ask } = await begin()
    tell(nodes, nonce, nonce + 1)
    await ask('eth_sendRawTransaction', [raw])
    for (let i = 0; i < 10; i++) expect(Number((await ask(...pending)).result)).toBe(nonce + 1)
  })

  it('is waited for where none has it yet', async () => {
    const { nodes, ask } = await begin()
    tell(nodes, nonce, nonce)
    await ask('eth_sendRawTransaction', [raw])
    setTimeout(() => tell(nodes, nonce, nonce + 1), 300)
    expect(Number((await ask(...pending)).result)).toBe(nonce + 1)
  })

  describe('that its node has lost', () => {
    /** A node that has the transaction once it was sent there; `accepts`: whether it takes it. */
    const has = (node: ChainNode, accepts = true): void => {
      let own = nonce
      node.answer = (method) => {
        if (method === 'eth_getTransactionCount') return { result: hex(own) }
        if (method !== 'eth_sendRawTransaction') return undefined
        if (accepts) own = nonce + 1
        return accepts ? { result: hash } : { error: { code: -32000, message: 'transaction underpriced' } }
      }
    }

    it('is as high again, since another node is given the transaction, once', async () => {
      const { nodes, ask, sends } = await begin()
      for (const node of nodes) has(node)
      await ask('eth_sendRawTransaction', [raw])
      expect(Number((await ask(...pending)).result)).toBe(nonce + 1)
      await nodes[0]!.close()
      for (let i = 0; i < 5; i++) expect(Number((await ask(...pending)).result)).toBe(nonce + 1)
      expect(sends()).toEqual([1, 1])
    })

    it('stays an error where the other node does not take it, and that is asked twice in a call at most', async () => {
      const { nodes, ask, sends } = await begin()
      has(nodes[0]!)
      has(nodes[1]!, false)
      await ask('eth_sendRawTransaction', [raw])
      await nodes[0]!.close()
      expect((await ask(...pending)).error?.message).toMatch('has the transactions of this sender up to nonce 10')
      expect(sends()[1]).toBeGreaterThanOrEqual(1)
      expect(sends()[1]).toBeLessThanOrEqual(2)
    })

    it('is no reason to give it to upstreams that its project may not use', async () => {
      const { nodes, ask, sends } = await begin(2, ['own', 'other'])
      for (const node of nodes) has(node)
      await ask('eth_sendRawTransaction', [raw], secretive)
      await nodes[0]!.close()
      expect((await ask(...pending)).error?.message).toMatch('has the transactions of this sender up to nonce 10')
      expect(sends()).toEqual([1, 0])
    })
  })

  it('is an error where none has it, which says so; other senders, and other blocks, are answered', async () => {
    const { nodes, ask } = await begin()
    tell(nodes, nonce, nonce)
    await ask('eth_sendRawTransaction', [raw])
    expect((await ask(...pending)).error).toEqual({
      code: -32603,
      message: 'no upstream that answers has the transactions of this sender up to nonce 10 yet',
    })
    expect((await ask('eth_getTransactionCount', [`0x${'cd'.repeat(20)}`, 'pending'])).result).toBe('0x9')
    expect((await ask('eth_getTransactionCount', [sender, 'latest'])).result).toBe('0x9')
  })

  it('is not moved by one that leaves a gap, nor by one that was refused', async () => {
    const { nodes, ask } = await begin()
    tell(nodes, nonce - 2, nonce - 2)
    await ask('eth_sendRawTransaction', [raw])
    expect(Number((await ask(...pending)).result)).toBe(nonce - 2)
    const other = await begin()
    tell(other.nodes, nonce, nonce)
    react(other.nodes[0]!, tooLow)
    await other.ask('eth_sendRawTransaction', [raw])
    tell(other.nodes, nonce, nonce)
    expect(Number((await other.ask(...pending)).result)).toBe(nonce)
  })

  it('is what the only node says', async () => {
    const { nodes, ask } = await begin(1)
    tell(nodes, nonce)
    await ask('eth_sendRawTransaction', [raw])
    expect(Number((await ask(...pending)).result)).toBe(nonce)
  })
})
