import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, reportedBy } from '../support.ts'

/** The example of EIP-155. */
const raw =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
const hash = '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788'

type Words = NonNullable<NodeAnswer['error']>
const vectors = new URL('../../../evm-types/test/vectors/refused-transactions.json', import.meta.url)
const { geth, others, alreadyKnown } = JSON.parse(readFileSync(vectors, 'utf8')) as Readonly<
  Record<'geth' | 'others' | 'alreadyKnown', readonly Words[]>
>

/** Starts a gateway before nodes of one chain. */
async function begin(count: number) {
  const chain = testChain(500)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  const upstreams = nodes.map(({ url }, i) => ({ name: ['alpha', 'east'][i]!, url }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const gateway = await startTestGateway([], { networks })
  onTestFinished(() => gateway.close(0))
  const ask = async (method: string, params: readonly unknown[] = []) => {
    const answer = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
    const reported = answer.body.includes('"traceId"') ? reportedBy(answer) : JSON.parse(answer.body)
    return { status: answer.status, headers: answer.headers, ...(reported as { result?: unknown; error?: Words }) }
  }
  // Before its chain is known, a node is not asked.
  await vi.waitUntil(async () => (await ask('eth_gasPrice')).result !== undefined)
  return { nodes, ask }
}

/** Has nodes refuse transactions, and answer the question for one. */
function refuse(nodes: readonly ChainNode[], error: Words, found: NodeAnswer = { result: null }): void {
  for (const node of nodes) {
    node.answer = (method) => {
      if (method.startsWith('eth_sendRawTransaction')) return { error }
      return method === 'eth_getTransactionByHash' ? found : undefined
    }
  }
}

const doubt = { hash, doubt: `the transaction may have been sent: look for ${hash} before you send it again` }

describe('a transaction that the only node refuses and does not have', () => {
  it.each([
    ['by geth: 84 of 84', geth, 84],
    ['by others: 40 of 40', others, 40],
  ] as const)('is told in the words, the code and the data of the node, %s', async (_by, all, count) => {
    const { nodes, ask } = await begin(1)
    let reported = 0
    for (const { code, message, data } of all) {
      const error = { code, message, ...(data !== undefined && { data }) }
      refuse(nodes, error)
      const answer = await ask('eth_sendRawTransaction', [raw])
      expect(answer).toMatchObject({ status: 200, error })
      // The doubt takes the place of nothing.
      expect([data, doubt]).toContainEqual(answer.error?.data)
      reported++
    }
    expect(reported).toBe(count)
  })

  it('is told as both of two nodes say it, by geth: 84 of 84', async () => {
    const { nodes, ask } = await begin(2)
    for (const { code, message } of geth) {
      refuse(nodes, { code, message })
      expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, error: { code, message } })
    }
  })

  it.each<[string, Words]>([
    ['words that nobody knows', { code: -32000, message: 'the flux is out of phase' }],
    ['an internal error', { code: -32603, message: 'Internal error' }],
    ['a timeout', { code: -32002, message: 'request timed out' }],
    ['a node that is syncing', { code: -32010, message: 'node is syncing' }],
  ])('is told in the words of the node with the doubt beside them, after %s, again and again', async (_, error) => {
    const { nodes, ask } = await begin(1)
    refuse(nodes, error)
    for (let i = 0; i < 3; i++) {
      expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({
        status: 200,
        error: { ...error, data: doubt },
      })
    }
    const own = { ...error, data: { from: 'the node' } }
    refuse(nodes, own)
    const answer = await ask('eth_sendRawTransaction', [raw])
    expect(answer.error).toEqual(own)
    // A call that waits for the receipt is told alike.
    expect((await ask('eth_sendRawTransactionSync', [raw])).error).toEqual(own)
  })

  it('is a success after an internal error where the node shows it, and in doubt where it fails the question', async () => {
    const { nodes, ask } = await begin(1)
    const error = { code: -32603, message: 'Internal error' }
    refuse(nodes, error, { result: { hash } })
    expect((await ask('eth_sendRawTransaction', [raw])).result).toBe(hash)
    const other = await begin(1)
    refuse(other.nodes, error, { error })
    expect((await other.ask('eth_sendRawTransaction', [raw])).error?.message).toBe(doubt.doubt)
  })
})

it('a transaction that the node knows already is a success in the words of every node: 25 of 25', async () => {
  const { nodes, ask } = await begin(1)
  for (const { code, message } of alreadyKnown) {
    refuse(nodes, { code, message }, { result: { hash } })
    expect({ message, ...(await ask('eth_sendRawTransaction', [raw])) }).toMatchObject({ message, result: hash })
  }
})

it('a transaction that waits at the node, whose words name another one, is a success', async () => {
  const { nodes, ask } = await begin(1)
  for (const [code, message] of [
    [-32603, 'An existing transaction had higher priority'],
    [3, 'known transaction'],
  ] as const) {
    refuse(nodes, { code, message }, { result: { hash } })
    expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ status: 200, result: hash })
  }
})

it('a transaction that a node has, without its receipt, is told in the words of EIP-7966 under 4 and 5', async () => {
  const { nodes, ask } = await begin(1)
  for (const code of [4, 5]) {
    const error = { code, message: 'The transaction was added to the mempool', data: hash }
    refuse(nodes, error)
    expect((await ask('eth_sendRawTransactionSync', [raw])).error).toEqual(error)
  }
})

describe('a limit', () => {
  it.each<[string, Words]>([
    ['sender is over rate limit', { code: -32017, message: 'sender is over rate limit' }],
    [
      'in-flight transaction limit reached for delegated accounts',
      { code: -32000, message: 'in-flight transaction limit reached for delegated accounts' },
    ],
    ['account limit exceeded', { code: -32000, message: 'account limit exceeded: pooled 64 txs' }],
  ])('of one sender leaves the node in for all others: %s', async (_, error) => {
    const { nodes, ask } = await begin(2)
    refuse(nodes.slice(0, 1), error)
    for (let i = 0; i < 30; i++) expect((await ask('eth_sendRawTransaction', [raw])).error).toEqual(error)
    const reads = () => nodes.map(({ calls }) => calls.filter((method) => method === 'eth_getBalance').length)
    for (let i = 0; i < 40; i++) await ask('eth_getBalance', [`0x${String(i).padStart(40, '0')}`, 'latest'])
    // One that is left alone is asked nothing while the other one can be.
    expect(reads()[0]).toBeGreaterThan(0)
  })

  it.each([1, 2])('of requests at every upstream is -32005 with Retry-After: %i of them', async (count) => {
    const { nodes, ask } = await begin(count)
    for (const node of nodes) node.answer = () => ({ error: { code: -32005, message: 'rate limit exceeded' } })
    for (let i = 0; i < 3; i++) {
      const { status, headers, error } = await ask('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])
      expect([status, error?.code]).toEqual([503, -32005])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
  })

  it.each([1, 2])('under HTTP 429 at every upstream is -32005 with Retry-After: %i of them', async (count) => {
    const { nodes, ask } = await begin(count)
    for (const node of nodes) node.refuse = () => ({ status: 429, headers: { 'retry-after': '7' } })
    for (let i = 0; i < 3; i++) {
      const { status, headers, error } = await ask('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])
      expect([status, error?.code]).toEqual([503, -32005])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(7)
    }
  })
})
