import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchMissed } from '../../src/events/index.ts'
import { type Client, createClient } from '../../src/index.ts'
import { waitForTransactionReceipt, watchBlocks, watchLogs } from '../../src/watch/index.ts'
import { failure } from '../helpers.ts'

let node: DevNode
beforeAll(async () => {
  node = await startDevNode()
})
afterAll(() => node.close())

/** Deploys eight bytes that log the topic 7 at each call: PUSH 7, PUSH 0, PUSH 0, LOG1, STOP. */
const deployment = '0x67600760006000a10060005260086018f3'

const ways: readonly [string, () => Client][] = [
  ['HTTP', () => createClient({ url: node.networks.dev.httpUrl })],
  ['WebSocket', () => createClient({ url: node.networks.dev.wsUrl, resubscribe: fetchMissed })],
]

/** Reads so many values, and makes blocks until they have come. */
async function take<T>(source: AsyncGenerator<T>, count: number, make: () => Promise<unknown>): Promise<T[]> {
  const values: T[] = []
  const reading = (async () => {
    for await (const value of source) if (values.push(value) === count) return true
    return true
  })()
  while (!(await Promise.race([reading, make().then(() => false)])));
  return values
}

describe.each(ways)('over %s', (_way, open) => {
  it('watchBlocks yields each new block, the child of the one before', async () => {
    await using client = open()
    const mine = (): Promise<unknown> => client.requestUnchecked('evm_mine')
    const blocks = await take(watchBlocks(client, { pollMs: 20 }), 6, mine)
    for (const [i, { parentHash }] of blocks.slice(1).entries()) expect(parentHash).toBe(blocks[i]!.hash)
  })

  it('watchLogs yields the logs of new blocks that match, and no other', async () => {
    await using client = open()
    const [from] = await client.eth.accounts()
    const created = await client.eth.sendTransaction({ from: from!, data: deployment })
    const { contractAddress } = await waitForTransactionReceipt(client, created, { pollMs: 20 })
    const call = (): Promise<unknown> => client.eth.sendTransaction({ from: from!, to: contractAddress! })
    const logs = await take(watchLogs(client, { address: contractAddress! }, { pollMs: 20 }), 3, call)
    expect(logs.map(({ address }) => address)).toEqual(Array(3).fill(contractAddress))
    expect(new Set(logs.map(({ transactionHash }) => transactionHash)).size).toBe(3)
  })

  it('a watch ends with its signal, as aborted', async () => {
    await using client = open()
    const stop = new AbortController()
    const next = watchBlocks(client, { signal: stop.signal }).next()
    setImmediate(() => stop.abort())
    expect(await failure(next)).toMatchObject({ name: 'RpcError', code: 'aborted' })
  })

  it('waitForTransactionReceipt waits for the confirmations that are wanted', async () => {
    await using client = open()
    const [from] = await client.eth.accounts()
    const hash = await client.eth.sendTransaction({ from: from!, to: from! })
    expect(await waitForTransactionReceipt(client, hash)).toMatchObject({ transactionHash: hash, status: '0x1' })
    const waiting = waitForTransactionReceipt(client, hash, { confirmations: 3, pollMs: 20 })
    await client.requestUnchecked('evm_mine')
    await client.requestUnchecked('evm_mine')
    expect(await waiting).toMatchObject({ transactionHash: hash })
  })

  it('waitForTransactionReceipt times out where no receipt comes', async () => {
    await using client = open()
    const hash = `0x${'12'.repeat(32)}` as const
    const thrown = await failure(waitForTransactionReceipt(client, hash, { pollMs: 5, timeoutMs: 10 }))
    expect(thrown).toMatchObject({ code: 'timeout', message: `${hash}: no receipt within 10 ms` })
  })
})
