import { type Verification, verification } from '@wayleave/evm-verify'
import { rawJsonFromValue, type RpcMeta, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { AnswerLife } from '@wayleave/rpc-cache'
import { consensusOutcome } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '@wayleave/network/internal/kinds/index'
import { answerAdmission } from '../../src/cache/admission-of-answers.ts'
import type { ServedChain } from '../../src/cache/served-chain.ts'

const cache = networkKinds.evm.cache!
const word = (digits: string): string => `0x${digits.repeat(64 / digits.length)}`
const hash = word('11')
const [present, replaced] = [word('aa'), word('bb')]
/** A chain that has `present` at 90, and whose blocks are final up to 90. */
const chain = {
  finalized: { height: 90 },
  has: (block: { height: number; hash: string }) => block.height === 90 && block.hash === present,
  hashAt: (height: number) => (height === 90 ? present : undefined),
  isGood: (name: string) => name === 'good',
  isHeadOf: () => true,
  hasReached: (name: string, height: number) => name === 'good' && height <= 95,
} as unknown as ServedChain

interface Case {
  readonly isFinal?: boolean
  readonly level?: Verification
  readonly verifies?: boolean
  readonly meta?: RpcMeta
  readonly life?: AnswerLife
  readonly keepsUnproven?: boolean
}

function admits(method: string, params: readonly unknown[], result: unknown, options: Case = {}): boolean {
  const { isFinal = false, level, verifies = level !== undefined, life = { of: 'answer' } } = options
  const admit = answerAdmission({
    kind: networkKinds.evm,
    cache,
    expectedChain: '0x1',
    chain,
    verified: verifies ? verification : undefined,
    keepsUnproven: options.keepsUnproven ?? true,
  })
  const request: RpcRequest = { method, params: rawJsonFromValue(params), notification: false }
  const meta = { ...options.meta, endpoint: 'good' }
  const reported = level === undefined ? meta : verification.on(meta, level)
  return admit(request, { key: 'k', life }, { result: rawJsonFromValue(result), meta: reported }, isFinal)
}

const receipt = (blockHash: string, further: object = {}) => ({
  transactionHash: hash,
  blockHash,
  blockNumber: '0x5a',
  transactionIndex: '0x0',
  logs: [],
  topics: [],
  ...further,
})

const block = { hash: present, parentHash: hash, number: '0x5a', transactions: [] }

describe('an answer that names its block', () => {
  it('is kept where the served chain has the block', () => {
    expect(admits('eth_getTransactionReceipt', [hash], receipt(present))).toBe(true)
    expect(admits('eth_getTransactionReceipt', [hash], receipt(replaced))).toBe(false)
  })

  it('of a block that is known to be another one is not kept, final or not', () => {
    expect(admits('eth_getTransactionReceipt', [hash], receipt(replaced), { isFinal: true })).toBe(false)
    // Nobody knows the block at that height by now.
    expect(
      admits('eth_getTransactionReceipt', [hash], receipt(replaced, { blockNumber: '0x10' }), { isFinal: true }),
    ).toBe(true)
  })

  it('and became final while it was under way has to be of the served chain', () => {
    const late = receipt(replaced, { blockNumber: '0x50' })
    expect(admits('eth_getTransactionReceipt', [hash], late)).toBe(false)
  })

  it('is kept only for the transaction that was asked for', () => {
    for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash']) {
      const of = (own: string): object => ({ ...receipt(present), transactionHash: own, hash: own })
      expect(admits(method, [hash.toUpperCase().replace('X', 'x')], of(hash))).toBe(true)
      expect(admits(method, [hash], of(word('22')))).toBe(false)
    }
    const trace = [{ transactionHash: hash, blockHash: present, blockNumber: 90 }]
    expect(admits('trace_transaction', [hash], trace)).toBe(true)
    expect(admits('trace_transaction', [word('22')], trace)).toBe(false)
  })
})

it('an answer about blocks by their numbers is kept only from an upstream that has told so high a head', () => {
  const kept = (to: number): boolean => admits('eth_getLogs', [{}], [], { life: { of: 'numbers', to }, isFinal: true })
  expect([kept(95), kept(96)]).toEqual([true, false])
})

it('members that a rollup fills in later are waited for', () => {
  const life: AnswerLife = { of: 'block', hash: present }
  const late = { l1BatchNumber: null }
  for (const [method, result] of [
    ['eth_getTransactionReceipt', receipt(present, late)],
    ['eth_getBlockByHash', { ...block, ...late }],
    ['eth_getLogs', [receipt(present, late)]],
  ] as const) {
    const options = { life: method === 'eth_getTransactionReceipt' ? ({ of: 'answer' } as const) : life }
    const params = method === 'eth_getLogs' ? [{ blockHash: present }] : [hash]
    expect(admits(method, params, result, options)).toBe(false)
    const whole = JSON.parse(JSON.stringify(result).replaceAll('null', '"0x7"')) as unknown
    expect(admits(method, params, whole, options)).toBe(true)
  }
})

describe('where a network verifies', () => {
  const proven: Verification = { level: 'proven', anchor: 'quorum', fields: { blockHash: 'proven' } }
  const consistent: Verification = { level: 'consistent', anchor: 'none', fields: {} }
  const life: AnswerLife = { of: 'block', hash: present }

  it.each([
    ['eth_getBlockByHash', [present, false], block],
    ['eth_getBlockTransactionCountByHash', [present], '0x1'],
    ['eth_getBlockReceipts', [present], [receipt(present)]],
    ['eth_getUncleCountByBlockHash', [present], '0x0'],
    ['eth_getRawTransactionByBlockHashAndIndex', [present, '0x0'], '0x02'],
    ['eth_getLogs', [{ blockHash: present }], [receipt(present)]],
    ['eth_getBalance', [word('11').slice(0, 42), { blockHash: present }], '0x1'],
    ['eth_getStorageAt', [word('11').slice(0, 42), '0x0', { blockHash: present }], '0x1'],
  ] as const)('%s is kept only if it is proven', (method, params, result) => {
    expect(admits(method, params, result, { level: proven, life })).toBe(true)
    expect(admits(method, params, result, { level: consistent, life })).toBe(false)
    expect(admits(method, params, result, { verifies: true, life })).toBe(false)
  })

  it('a transaction is kept only if its place is proven, too', () => {
    const transaction = { hash, blockHash: present, blockNumber: '0x10' }
    const options = { isFinal: true }
    expect(admits('eth_getTransactionByHash', [hash], transaction, { ...options, level: proven })).toBe(true)
    const placeless = { ...proven, fields: {} }
    expect(admits('eth_getTransactionByHash', [hash], transaction, { ...options, level: placeless })).toBe(false)
  })

  it('what no proof covers is kept, unless it is not wanted', () => {
    const asked = ['eth_call', [{ to: word('11').slice(0, 42) }, { blockHash: present }], '0x1'] as const
    expect(admits(...asked, { verifies: true, life })).toBe(true)
    expect(admits(...asked, { verifies: true, life, keepsUnproven: false })).toBe(false)
  })
})

it('of upstreams that are compared, only an answer that decides is kept', () => {
  const life: AnswerLife = { of: 'block', hash: present }
  const kept = (outcome: 'agreed' | 'verified' | 'head'): boolean =>
    admits('eth_call', [{}, { blockHash: present }], '0x1', { life, meta: consensusOutcome.on({}, outcome) })
  expect([kept('agreed'), kept('verified'), kept('head')]).toEqual([true, true, false])
})
