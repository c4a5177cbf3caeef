import { type Hex, transactionHash } from '@wayleave/evm-types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { signedTransaction } from '../signed-transaction.ts'
import { openCalledNetwork } from '../callers.ts'

const underpriced = { code: -32000, message: 'replacement transaction underpriced' }
const senders = Array.from({ length: 6 }, (_, i) => i + 1)

/** Has a node keep transactions beyond a gap, one for each nonce of a sender, as geth does; returns the senders whose transactions it has. */
function keepQueue(node: ChainNode, ownerOf: ReadonlyMap<string, string>): Set<string> {
  const queue = new Set<string>()
  node.answer = (method, [first]) => {
    if (method === 'eth_getTransactionCount') return { result: queue.has(first as string) ? '0x6' : '0x0' }
    if (method !== 'eth_sendRawTransaction') return undefined
    const of = ownerOf.get(first as string)!
    if (queue.has(of)) return { error: underpriced }
    queue.add(of)
    return { result: transactionHash(first as Hex) }
  }
  return queue
}

/** Three nodes behind as many networks as wanted, which have nothing else in common, and choose equal upstreams by lot. */
async function begin(networks = 1) {
  const chain = testChain(500)
  const nodes = await Promise.all([1, 2, 3].map((name) => startChainNode(chain, name)))
  const owners = new Map<string, string>()
  const transactions = senders.map(
    (sender) => [sender, signedTransaction(sender, 5, 9), signedTransaction(sender, 5, 8)] as const,
  )
  for (const [, first, second] of transactions) for (const { raw, sender } of [first, second]) owners.set(raw, sender)
  const queues = nodes.map((node) => keepQueue(node, owners))
  const upstreams = nodes.map(({ url }) => url)
  const running = await Promise.all(
    Array.from({ length: networks }, () => openCalledNetwork({ chainId: 1, upstreams }, { random: Math.random })),
  )
  onTestFinished(async () => {
    for (const { network } of running) await network.close()
    for (const node of nodes) await node.close()
  })
  let turn = 0
  async function ask(method: string, params: readonly unknown[]) {
    return running[turn++ % running.length]!.ask(method, params)
  }
  // Before the chain of all is known, they are not asked alike.
  for (let i = 0; i < running.length * 30; i++) await ask('eth_gasPrice', [])
  return { nodes, queues, transactions, ask }
}

describe('transactions of one nonce behind a gap', () => {
  it.each([
    ['a network', 1],
    ['two replicas that share nothing', 2],
  ])('are refused as one node would refuse them, by %s: 6 of 6', async (_what, networks) => {
    const { queues, transactions, ask } = await begin(networks)
    for (const [, { raw }] of transactions) expect((await ask('eth_sendRawTransaction', [raw])).error).toBeUndefined()
    for (const [, , { raw }] of transactions)
      expect((await ask('eth_sendRawTransaction', [raw])).error).toEqual(underpriced)
    expect(queues.map(({ size }) => size).reduce((sum, size) => sum + size)).toBe(6)
    // Senders are spread.
    expect(queues.filter(({ size }) => size > 0).length).toBeGreaterThan(1)
  })

  it('move together with all pending reads of their sender where its node dies', async () => {
    const { nodes, queues, transactions, ask } = await begin()
    const [, { raw, sender }, { raw: other }] = transactions[0]!
    await ask('eth_sendRawTransaction', [raw])
    const at = queues.findIndex(({ size }) => size > 0)
    const reads = [
      ['eth_getTransactionCount', [sender, 'pending']],
      ['eth_getBalance', [sender, 'pending']],
      ['eth_call', [{ from: sender, to: sender }, 'pending']],
      ['eth_estimateGas', [{ from: sender, to: sender }, 'pending']],
    ] as const
    const askAll = async (): Promise<readonly number[]> => {
      for (const { calls } of nodes) calls.length = 0
      for (let i = 0; i < 5; i++) for (const [method, params] of reads) await ask(method, params)
      return nodes.map(({ calls }) => calls.filter((method) => reads.some(([one]) => one === method)).length)
    }
    expect(await askAll()).toEqual([0, 1, 2].map((i) => (i === at ? 20 : 0)))
    await nodes[at]!.stop()
    expect((await ask('eth_sendRawTransaction', [other])).error).toBeUndefined()
    const next = queues.findIndex(({ size }, i) => i !== at && size > 0)
    const asked = await askAll()
    expect(asked[next]).toBeGreaterThanOrEqual(19)
    expect(asked[3 - at - next]).toBeLessThanOrEqual(1)
  })
})
