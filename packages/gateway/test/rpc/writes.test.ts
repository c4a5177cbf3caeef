import type { EvmNetworkConfig } from '@wayleave/gateway'
import { transactionHash } from '@wayleave/evm-types'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, reportedBy } from '../support.ts'

/** The example of EIP-155. */
const raw =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
const hash = '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788'
/** The next one, signed with the same key. */
const nextRaw =
  '0xf86c0a8504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008026a0b4b2c49fb87deb14ef839ab27402846777fde4f3a534b24e26717ea9f0f2c81ba050ee93ce76eaeb0329e125155a092940578d9f50d721e870a02131f34dddcb54'
const nextHash = transactionHash(nextRaw)
const sender = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f'
const nonce = 9
const hex = (number: number): string => `0x${number.toString(16)}`

const secretive = 'f'.repeat(32)
const hidden = 'e'.repeat(32)

/** Nodes of one chain; the first one is asked first, and in `groups` each is in the one named. A second project has the group `own` alone. */
async function begin(
  count = 2,
  groups: readonly string[] = [],
  further: Partial<Pick<EvmNetworkConfig, 'broadcast' | 'consensus'>> = {},
) {
  const chain = testChain(500)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  // The calls of the sender go to the first one of them while it can be asked, then to the second one.
  const names = ['alpha', 'east', 'gamma']
  const upstreams = nodes.map(({ url }, i) => ({
    name: names[i]!,
    url,
    ...(groups[i] !== undefined && { groups: [groups[i]], private: groups[i] === 'hidden' }),
  }))
  const timeouts = { default: '6s' }
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true, timeouts, ...further } } as const
  const projects = [
    { name: 'open', keys: [{ key }] },
    { name: 'secretive', keys: [{ key: secretive }], upstreams: ['own'] },
    ...(groups.includes('hidden')
      ? [{ name: 'hidden', keys: [{ key: hidden }], transactions: 'private' as const }]
      : []),
  ]
  const gateway = await startTestGateway([], { networks, ...(groups.length > 0 && { projects }) })
  onTestFinished(() => gateway.close(0))
  const ask = async (method: string, params: readonly unknown[] = [], as = key, signal?: AbortSignal) => {
    const answer = await send(gateway.rpc, `/v3/${as}`, { body: frame(method, params), signal })
    const { status, headers, body } = answer
    // A node's errors have no trace id.
    const reported = body.includes('"traceId"') ? reportedBy(answer) : JSON.parse(body)
    return { status, headers, ...(reported as { result?: unknown; error?: { code: number; message: string } }) }
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
const poor = { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }
function inDoubtOf() {
  const message = `the transaction may have been sent: look for ${hash} before you send it again`
  return { code: -32000, message, data: { hash } }
}
const inDoubt = inDoubtOf()
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
    for (const [found, reported] of [
      [{ hash }, { result: hash }],
      [null, { error: inDoubt }],
      [{ hash: `0x${'00'.repeat(32)}` }, { error: inDoubt }],
    ] as const) {
      const { nodes, ask, sends } = await begin()
      react(nodes[0]!, 'cut')
      react(nodes[1]!, tooLow, found)
      expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, ...reported })
      expect(sends()).toEqual([1, 1])
    }
  })

  it('that the first node says is poor is an error, byte for byte', async () => {
    const { nodes, ask, sends } = await begin()
    react(nodes[0]!, poor)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, ...poor })
    expect(sends()).toEqual([1, 0])
  })

  it.each([
    ['has already', known],
    ['has mined', tooLow],
  ])('that the first node %s is answered by its hash', async (_what, reported) => {
    const { nodes, ask, sends } = await begin()
    react(nodes[0]!, reported, { hash })
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, result: hash })
    expect(sends()).toEqual([1, 0])
  })

  it('whose hash a node gives wrongly is asked of the next one, and never answered so', async () => {
    const lie = { result: `0x${'12'.repeat(32)}` }
    const { nodes, ask } = await begin()
    react(nodes[0]!, lie)
    react(nodes[1]!, known)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, result: hash })
    const liars = await begin()
    for (const node of liars.nodes) react(node, lie)
    expect(await liars.ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
    const loud = await begin(1)
    react(loud.nodes[0]!, { result: `0x${hash.slice(2).toUpperCase()}` })
    expect(await loud.ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, result: hash })
  })

  it('with blobs is sent once, and in doubt where the node breaks off; what is none fails as it did', async () => {
    const blob = `0x03${raw.slice(2)}`
    const blobs = await begin()
    react(blobs.nodes[0]!, 'cut')
    expect((await blobs.ask('eth_sendRawTransaction', [blob])).error?.message).toMatch(
      /^the transaction may have been sent/,
    )
    expect(blobs.sends()).toEqual([1, 0])
    for (const odd of [`${raw}0`, '0x', 7]) {
      const { nodes, ask, sends } = await begin()
      react(nodes[0]!, 'cut')
      expect(await ask('eth_sendRawTransaction', [odd])).toMatchObject({ status: 502 })
      expect(sends()).toEqual([1, 0])
    }
  })

  it('that nobody answers in time may have been sent', async () => {
    const { nodes, ask, sends } = await begin()
    for (const node of nodes) react(node, 'hang')
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
    expect(sends()).toEqual([1, 1])
  })

  it('that one node refuses is no failure where another one broke off, nor in a later call', async () => {
    const { nodes, ask } = await begin()
    react(nodes[0]!, 'cut')
    react(nodes[1]!, poor)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
    for (const node of nodes) react(node, poor)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
  })

  it('that is refused in words that nobody knows is looked up there, and in doubt where it is not found', async () => {
    const odd = { error: { code: -32000, message: 'unexpected EOF' } }
    const { nodes, ask, sends } = await begin()
    for (const node of nodes) react(node, odd)
    const data = { hash, reason: 'unexpected EOF' }
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: { ...inDoubt, data } })
    expect(sends()).toEqual([1, 1])
    for (const node of nodes) react(node, odd, { hash })
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, result: hash })
  })

  it('that is longer than nodes take is not hashed, and sent once', async () => {
    const { nodes, ask, sends } = await begin()
    react(nodes[0]!, 'cut')
    const long = `0x02f9${'ab'.repeat(128 * 1024)}`
    expect((await ask('eth_sendRawTransaction', [long])).status).toBe(502)
    expect(sends()).toEqual([1, 0])
  })

  it('whose caller leaves and repeats it is no failure where another node refuses it', async () => {
    const { nodes, ask, sends } = await begin()
    react(nodes[0]!, 'hang')
    const leaving = new AbortController()
    const first = ask('eth_sendRawTransaction', [raw], key, leaving.signal).catch(() => undefined)
    await vi.waitUntil(() => sends()[0] === 1)
    leaving.abort()
    expect(await first).toBeUndefined()
    // The node that has it takes no more calls for a while.
    react(nodes[0]!, { error: { code: -32005, message: 'rate limit exceeded' } })
    react(nodes[1]!, poor)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
  })

  it('that another call sends at the same time is no failure where a node refuses it', async () => {
    const { nodes, ask, sends } = await begin()
    react(nodes[0]!, 'hang')
    react(nodes[1]!, poor)
    const first = ask('eth_sendRawTransaction', [raw])
    await vi.waitUntil(() => sends()[0] === 1)
    react(nodes[0]!, poor)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
    expect(await first).toMatchObject({ status: 200, error: inDoubt })
  })

  it('whose nonce is used at one of two nodes at once is in doubt while the other one is silent', async () => {
    const { nodes, ask } = await begin(2, [], { broadcast: 2 })
    react(nodes[0]!, 'hang')
    react(nodes[1]!, tooLow)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
  })

  it('goes to as many nodes at once as the network says', async () => {
    const { nodes, ask, sends } = await begin(3, [], { broadcast: 2 })
    react(nodes[0]!, 'hang')
    for (const node of nodes.slice(1)) react(node, { result: hash })
    const at = performance.now()
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ result: hash })
    // A node that is silent is waited for 500 ms at least.
    expect(performance.now() - at).toBeLessThan(400)
    expect(sends()).toEqual([1, 1, 0])
  })
})

describe('a raw transaction whose receipt is waited for', () => {
  const method = 'eth_sendRawTransactionSync'
  const reactTo = (node: ChainNode, sending: Reaction, found: unknown = null): void => {
    node.answer = (asked) =>
      asked === method ? sending : asked === 'eth_getTransactionReceipt' ? { result: found } : undefined
  }
  const receipt = { transactionHash: hash, status: '0x1' }

  it.each<[string, Reaction, object]>([
    ['answers', { result: receipt }, { result: receipt }],
    [
      'is too slow for its caller',
      { error: { code: 4, message: 'timeout', data: hash } },
      { error: { code: 4, data: hash } },
    ],
    ['breaks off', 'cut', { error: inDoubtOf() }],
    ['has an internal error', { error: { code: -32603, message: 'Internal error' } }, { error: inDoubtOf() }],
    [
      'tells the receipt of another one',
      { result: { transactionHash: `0x${'34'.repeat(32)}` } },
      { error: inDoubtOf() },
    ],
    ['has it mined already', tooLow, { result: receipt }],
  ])('goes to one node, also where that %s', async (_what, sending, reported) => {
    const { nodes, ask } = await begin(2, [], { broadcast: 2 })
    reactTo(nodes[0]!, sending, receipt)
    expect(await ask(method, [raw, 5_000])).toMatchObject({ status: 200, ...reported })
    expect(nodes.map(({ calls }) => calls.filter((each) => each === method).length)).toEqual([1, 0])
  })

  it.each([
    ['tells so as its receipt is late', { error: { code: 4, message: 'timeout', data: hash } }],
    ['knows it already', known],
  ])('is remembered where the node %s: no other one makes a failure of it', async (_what, reported) => {
    const { nodes, ask } = await begin()
    reactTo(nodes[0]!, reported)
    expect(await ask(method, [raw])).toMatchObject({ status: 200, ...reported })
    for (const node of nodes) react(node, poor)
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: inDoubt })
  })

  it('is asked of one node again where it may have been sent', async () => {
    const { nodes, ask } = await begin()
    reactTo(nodes[0]!, 'cut')
    for (const node of nodes.slice(1)) reactTo(node, poor)
    expect(await ask(method, [raw])).toMatchObject({ status: 200, error: inDoubt })
    const before = nodes.flatMap(({ calls }) => calls).filter((each) => each === method).length
    for (const node of nodes) reactTo(node, poor)
    expect(await ask(method, [raw])).toMatchObject({ status: 200, error: inDoubt })
    expect(nodes.flatMap(({ calls }) => calls).filter((each) => each === method)).toHaveLength(before + 1)
  })
})

describe('transactions of a private project', () => {
  const count = (node: ChainNode, wanted: string): number => node.calls.filter((method) => method === wanted).length
  const nonceOf = async (ask: Awaited<ReturnType<typeof begin>>['ask'], as?: string) =>
    Number((await ask('eth_getTransactionCount', [sender, 'pending'], as)).result)

  it('go to private upstreams alone, whatever those answer', async () => {
    for (const reaction of ['hang', 'cut', poor, { error: { code: -32603, message: 'Internal error' } }] as const) {
      const { nodes, ask } = await begin(3, ['own', 'hidden', 'own'], { broadcast: 3 })
      for (const node of nodes) react(node, reaction)
      const methods = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'eth_sendBundle']
      await Promise.all(methods.map((method) => ask(method, [raw], hidden)))
      for (const method of methods)
        expect([method, ...nodes.map((node) => count(node, method))]).toEqual([method, 0, 1, 0])
    }
  })

  it('are traced at private upstreams alone', async () => {
    const { nodes, ask } = await begin(3, ['own', 'hidden', 'own'])
    for (let i = 0; i < 5; i++) await ask('trace_rawTransaction', [raw, ['trace']], hidden)
    expect(nodes.map((node) => count(node, 'trace_rawTransaction') > 0)).toEqual([false, true, false])
  })

  it('are traced at private upstreams alone where answers are compared, as often as the answer says', async () => {
    const consensus = { methods: ['trace_rawTransaction'], participants: 2 }
    const { nodes, ask } = await begin(4, ['own', 'hidden', 'own', 'hidden'], { consensus })
    for (const node of nodes) {
      node.answer = (method) =>
        method === 'trace_rawTransaction' ? { result: { output: '0x', trace: [] } } : undefined
    }
    const { result, headers } = await ask('trace_rawTransaction', [raw, ['trace']], hidden)
    expect([result, headers['x-wayleave-attempts']]).toEqual([{ output: '0x', trace: [] }, '2'])
    expect(nodes.map((node) => count(node, 'trace_rawTransaction'))).toEqual([0, 1, 0, 1])
  })

  it('are told to nobody else by who is asked for them', async () => {
    const { nodes, ask } = await begin(4, ['own', 'hidden', 'own', 'own'])
    for (const node of nodes) react(node, { result: hash })
    const look = async (): Promise<number> => {
      const asked = (): number => nodes.reduce((sum, node) => sum + count(node, 'eth_getTransactionByHash'), 0)
      const before = asked()
      expect((await ask('eth_getTransactionByHash', [hash])).result).toBeNull()
      return asked() - before
    }
    expect(await look()).toBe(3)
    const later = await look()
    expect((await ask('eth_sendRawTransaction', [raw], hidden)).result).toBe(hash)
    expect([later, await look()]).toEqual([1, 1])
  })

  it('are told to nobody else by nonces, and not sent again for him', async () => {
    const { nodes, ask } = await begin(3, ['own', 'hidden', 'own'])
    for (const node of nodes) {
      node.answer = (method) => {
        if (method === 'eth_sendRawTransaction') return { result: hash }
        return method === 'eth_getTransactionCount' ? { result: hex(node === nodes[1] ? nonce + 1 : nonce) } : undefined
      }
    }
    expect((await ask('eth_sendRawTransaction', [raw], hidden)).result).toBe(hash)
    for (let i = 0; i < 10; i++) await nonceOf(ask, hidden)
    for (let i = 0; i < 10; i++) expect(await nonceOf(ask)).toBe(nonce)
    expect(nodes.map((node) => count(node, 'eth_sendRawTransaction'))).toEqual([0, 1, 0])
  })
})

it('a transaction that the node signs is sent once, and may have been where the node breaks off', async () => {
  const { nodes, ask } = await begin()
  nodes[0]!.answer = (method) => (method === 'eth_sendTransaction' ? 'cut' : undefined)
  expect(await ask('eth_sendTransaction', [{}])).toMatchObject({
    status: 200,
    error: {
      code: -32000,
      message: 'the transaction may have been sent: look for it among those of its sender before you send it again',
    },
  })
  expect(nodes.map(({ calls }) => calls.filter((method) => method === 'eth_sendTransaction').length)).toEqual([1, 0])
})

describe('the pending nonce of a sender whose transaction was accepted', () => {
  /** Nodes whose pending nonces are these from now on; transactions are accepted. */
  const report = (nodes: readonly ChainNode[], ...nonces: readonly number[]): void =>
    nodes.forEach((node, i) => {
      node.answer = (method) => {
        if (method === 'eth_sendRawTransaction') return { result: hash }
        return method === 'eth_getTransactionCount' ? { result: hex(nonces[i]!) } : undefined
      }
    })
  const pending = ['eth_getTransactionCount', [sender, 'pending']] as const

  it('is asked of a node that has it', async () => {
    const { nodes, ask } = await begin()
    report(nodes, nonce, nonce + 1)
    await ask('eth_sendRawTransaction', [raw])
    for (let i = 0; i < 10; i++) expect(Number((await ask(...pending)).result)).toBe(nonce + 1)
  })

  it('is waited for where none has it yet', async () => {
    const { nodes, ask } = await begin()
    report(nodes, nonce, nonce)
    await ask('eth_sendRawTransaction', [raw])
    setTimeout(() => report(nodes, nonce, nonce + 1), 300)
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

    it('is as high again also while that node is silent: what the other one lacks goes there, all at once', async () => {
      const { nodes, ask, sends } = await begin()
      const own = nodes.map(() => nonce)
      nodes.forEach((node, i) => {
        node.answer = (method) => {
          if (method === 'eth_getTransactionCount') return { result: hex(own[i]!) }
          if (method !== 'eth_sendRawTransaction') return undefined
          return { result: own[i]!++ === nonce ? hash : nextHash }
        }
      })
      for (const each of [raw, nextRaw]) await ask('eth_sendRawTransaction', [each])
      expect(Number((await ask(...pending)).result)).toBe(nonce + 2)
      nodes[0]!.answer = () => 'hang'
      expect(Number((await ask(...pending)).result)).toBe(nonce + 2)
      expect(sends()).toEqual([2, 2])
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
    report(nodes, nonce, nonce)
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
    report(nodes, nonce - 2, nonce - 2)
    await ask('eth_sendRawTransaction', [raw])
    expect(Number((await ask(...pending)).result)).toBe(nonce - 2)
    const other = await begin()
    report(other.nodes, nonce, nonce)
    react(other.nodes[0]!, poor)
    await other.ask('eth_sendRawTransaction', [raw])
    report(other.nodes, nonce, nonce)
    expect(Number((await other.ask(...pending)).result)).toBe(nonce)
  })

  it('is what the only node says', async () => {
    const { nodes, ask } = await begin(1)
    report(nodes, nonce)
    await ask('eth_sendRawTransaction', [raw])
    expect(Number((await ask(...pending)).result)).toBe(nonce)
  })
})
