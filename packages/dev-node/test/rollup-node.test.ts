import { createContext, rawJsonFromValue, type RpcContext, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRollupNode, type DevNode, startDevNode } from '../src/index.ts'
import { call, handlerOf } from './helpers.ts'

interface Ref {
  readonly hash: string
  readonly number: number
  readonly parentHash: string
  readonly timestamp: number
  readonly l1origin?: { readonly hash: string; readonly number: number }
  readonly sequenceNumber?: number
}
type SyncStatus = Record<string, Ref>

let node: DevNode
let l1: string
let l2: string
beforeAll(async () => {
  node = await startDevNode()
  l1 = node.networks.dev.httpUrl
  l2 = node.networks['rollup-dev'].httpUrl
})
afterAll(() => node.close())

async function readStatus(): Promise<SyncStatus> {
  const rollup = createRollupNode({ l1: handlerOf(l1), l2: handlerOf(l2) })
  return (await call(rollup, 'optimism_syncStatus')) as SyncStatus
}

const head = (status: SyncStatus, name: string): number => status[name]!.number

describe('optimism_syncStatus', () => {
  test('has the members of op-node, as plain integers, with the hashes of the chains', async () => {
    const answer = await readStatus()
    const block = (await call(l2, 'eth_getBlockByNumber', 'latest', false)) as Record<
      'hash' | 'parentHash' | 'timestamp',
      string
    >
    const origin = (await call(l1, 'eth_getBlockByNumber', 'latest', false)) as { hash: string }
    expect(Object.keys(answer)).toEqual([
      'current_l1',
      'current_l1_finalized',
      'head_l1',
      'safe_l1',
      'finalized_l1',
      'unsafe_l2',
      'safe_l2',
      'finalized_l2',
      'pending_safe_l2',
      'cross_unsafe_l2',
      'local_safe_l2',
    ])
    expect(answer['unsafe_l2']).toEqual({
      hash: block.hash,
      number: 0,
      parentHash: block.parentHash,
      timestamp: Number(block.timestamp),
      l1origin: { hash: origin.hash, number: 0 },
      sequenceNumber: 0,
    })
    expect(Object.keys(answer['head_l1']!)).toEqual(['hash', 'number', 'parentHash', 'timestamp'])
  })

  test('moves with either chain', async () => {
    const before = await readStatus()
    await call(l1, 'evm_mine')
    const after1 = await readStatus()
    expect(head(after1, 'current_l1')).toBe(head(before, 'current_l1') + 1)
    expect(after1['head_l1']).toEqual(after1['current_l1'])
    expect(head(after1, 'unsafe_l2')).toBe(head(before, 'unsafe_l2'))
    expect(after1['unsafe_l2']!.l1origin!.hash).toBe(after1['head_l1']!.hash)

    await call(l2, 'evm_mine')
    const after2 = await readStatus()
    expect(head(after2, 'unsafe_l2')).toBe(head(before, 'unsafe_l2') + 1)
    expect(after2['unsafe_l2']!.parentHash).toBe(after1['unsafe_l2']!.hash)
    expect(after2['cross_unsafe_l2']).toEqual(after2['unsafe_l2'])
    expect(after2['current_l1']).toEqual(after1['current_l1'])
  })

  test('tells safe and finalized heads from the latest', async () => {
    await call(l1, 'anvil_mine', '0x60')
    await call(l2, 'anvil_mine', '0x60')
    const answer = await readStatus()
    const numberOf = async (url: string, tag: string): Promise<number> =>
      Number(((await call(url, 'eth_getBlockByNumber', tag, false)) as { number: string }).number)
    for (const tag of ['safe', 'finalized'] as const) {
      expect(head(answer, `${tag}_l1`)).toBe(await numberOf(l1, tag))
      expect(head(answer, `${tag}_l2`)).toBe(await numberOf(l2, tag))
      expect(answer[`${tag}_l2`]!.l1origin!.hash).toBe(answer[`${tag}_l1`]!.hash)
    }
    expect(head(answer, 'unsafe_l2')).toBeGreaterThan(head(answer, 'safe_l2'))
    expect(head(answer, 'safe_l2')).toBeGreaterThan(head(answer, 'finalized_l2'))
    expect(answer['current_l1_finalized']).toEqual(answer['finalized_l1'])
    expect([answer['pending_safe_l2'], answer['local_safe_l2']]).toEqual([answer['safe_l2'], answer['safe_l2']])
  })
})

describe('the handler', () => {
  const request = { method: 'optimism_syncStatus', params: undefined, notification: false }
  const block = rawJsonFromValue({ hash: '0x1', number: '0x2', parentHash: '0x3', timestamp: '0x4' })
  const answering: RpcHandler = async () => ({ result: block })

  test('does not know other methods', async () => {
    const rollup = createRollupNode({ l1: answering, l2: answering })
    const response = await rollup({ ...request, method: 'eth_chainId' }, createContext())
    const error = { code: -32601, message: 'the method eth_chainId does not exist/is not available' }
    expect(response).toEqual({ error })
  })

  test('passes the context down without streams, and releases it', async () => {
    const contexts: RpcContext[] = []
    const spying: RpcHandler = async (_, context) => {
      contexts.push(context)
      return { result: block }
    }
    const context = createContext({ acceptStream: true, timeoutMs: 5_000 })
    await createRollupNode({ l1: spying, l2: spying })(request, context)
    expect(contexts.map(({ acceptStream, deadline }) => [acceptStream, deadline])).toEqual(
      Array.from({ length: 6 }, () => [false, context.deadline]),
    )
    context.cancel(new RpcError('aborted', 'over'))
    expect(contexts[0]!.cancelled).toBeUndefined()
  })

  test('answers with the error of a chain that answers with one', async () => {
    const error = { code: -32000, message: 'no such tag' }
    const rollup = createRollupNode({ l1: answering, l2: async () => ({ error }) })
    expect(await rollup(request, createContext())).toEqual({ error })
  })

  test('rejects as the chain rejects, and cancels the calls that nobody waits for', async () => {
    const why = new RpcError('connect', 'no connection')
    const cancelled: RpcError[] = []
    const hanging: RpcHandler = (_, context) =>
      new Promise((_resolve, reject) => {
        context.onCancel((reason) => {
          cancelled.push(reason)
          reject(reason)
        })
      })
    const rollup = createRollupNode({ l1: hanging, l2: () => Promise.reject(why) })
    await expect(rollup(request, createContext())).rejects.toBe(why)
    expect(cancelled).toEqual([why, why, why])
  })

  test('shows a head that a chain does not know as zero, and refuses what is no block', async () => {
    const unknown = createRollupNode({ l1: answering, l2: async () => ({ result: rawJsonFromValue(null) }) })
    const answer = (await call(unknown, 'optimism_syncStatus')) as SyncStatus
    const zero = `0x${'0'.repeat(64)}`
    expect(answer['safe_l2']).toMatchObject({ hash: zero, number: 0, parentHash: zero, timestamp: 0 })
    const odd = createRollupNode({ l1: answering, l2: async () => ({ result: rawJsonFromValue({ number: 1 }) }) })
    await expect(odd(request, createContext())).rejects.toMatchObject({ code: 'invalid_response' })
  })
})
