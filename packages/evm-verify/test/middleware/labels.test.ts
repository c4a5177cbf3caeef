import type { Transaction } from '@wayleave/evm-types'
import { createContext, rawJsonFromValue, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import { contradictionOf, type LongCheck, runCheck, verification, verify, type VerifyOptions } from '../../src/index.ts'
import { address } from '../made-state.ts'
import { type MadeNode, madeNode, type Tamper } from './made-chain.ts'

const { blocks } = madeNode()
const head = blocks.at(-1)!
const full = blocks.findLast(({ transactions }) => transactions.length === 3)!
const tx = full.transactions[1] as Transaction
const anchor = { blockHash: head.hash! }
const nobody = `0x${'0'.repeat(40)}`

async function ask(
  method: string,
  params: readonly unknown[],
  tamper?: Tamper,
  options: Partial<VerifyOptions> = { anchor },
): Promise<string> {
  const node: MadeNode = Object.assign(madeNode(), { tamper })
  const context = createContext({ timeoutMs: 20_000 })
  const handler = verify({ require: 'proven', logs: 'receipts', unverifiable: 'pass', ...options })(node.handler)
  try {
    const { meta } = await handler({ method, params: rawJsonFromValue(params), notification: false }, context)
    return verification.of(meta)!.level
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    const { field } = Object(thrown.cause) as { readonly field?: string }
    return `${thrown.code} ${field ?? thrown.message}`
  } finally {
    context.release()
  }
}

describe('a label of an unknown type', () => {
  const labelled: Tamper = (result, { method }) =>
    method.startsWith('eth_getTransactionBy') ? { ...(result as object), type: '0x55' } : result
  const unsigned: Tamper = (result, { method }) =>
    method.startsWith('eth_getTransactionBy') ? { ...(result as object), type: '0x0', r: '0x0', s: '0x0' } : result

  test.each([
    ['eth_getTransactionByHash', [tx.hash], labelled],
    ['eth_getTransactionByHash', [tx.hash], unsigned],
    ['eth_getTransactionByBlockHashAndIndex', [full.hash, '0x1'], labelled],
    ['eth_getTransactionByBlockNumberAndIndex', [full.number, '0x1'], unsigned],
  ] as const)('is false where the block holds the transaction: %s', async (method, params, tamper) => {
    expect(await ask(method, params, tamper)).toMatch(/^invalid_response (type|r)$/)
  })

  test('leaves unknown what nothing else tells of', async () => {
    expect(await ask('eth_getTransactionByHash', [tx.hash], labelled, {})).toBe('unverifiable')
    const all: Tamper = (result, call) =>
      call.method === 'eth_getBlockByHash' && call.params[1] === true
        ? {
            ...(result as typeof full),
            transactions: (result as typeof full).transactions.map((one) => ({
              ...(one as Transaction),
              type: '0x55',
            })),
          }
        : labelled(result, call)
    expect(await ask('eth_getTransactionByHash', [tx.hash], all)).toBe('unverifiable')
  })

  test('as the sender nobody is false where the block tells who sent it', async () => {
    const fromNobody: Tamper = (result, { method }) =>
      method === 'eth_getBlockReceipts' ? (result as object[]).map((one) => ({ ...one, from: nobody })) : result
    expect(await ask('eth_getBlockReceipts', [full.hash], fromNobody)).toBe('invalid_response 0.from')
  })
})

describe('null', () => {
  const nothing: Tamper = (result, { method }) => (/Balance|Count$|Code|StorageAt|Logs/.test(method) ? null : result)

  test.each([
    ['eth_getBalance', [address, 'latest']],
    ['eth_getTransactionCount', [address, 'latest']],
    ['eth_getCode', [address, 'latest']],
    ['eth_getStorageAt', [address, '0x1', 'latest']],
  ])('is no answer to %s, with or without an anchor', async (method, params) => {
    for (const options of [{ anchor }, {}, { require: 'consistent' }] as const) {
      expect(await ask(method, params, nothing, options)).toBe('invalid_response ')
    }
  })
})

describe('null for logs', () => {
  const nothing: Tamper = (result, { method }) => (method === 'eth_getLogs' ? null : result)
  const byAddress = (of: string) => [{ blockHash: full.hash, address: of }]

  test('is proven to be right where there are none, else refused', async () => {
    expect(await ask('eth_getLogs', byAddress(`0x${'5a'.repeat(20)}`), nothing)).toBe('proven')
    expect(await ask('eth_getLogs', byAddress(address), nothing)).toBe('invalid_response ')
  })
})

describe('a range of blocks', () => {
  const range = (from: number) => [{ fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' }]

  test('is proven up to its bound, and refused above', async () => {
    const last = Number(head.number)
    expect(await ask('eth_getLogs', range(last - 7), undefined, { anchor, maxLogBlocks: 8 })).toBe('proven')
    expect(await ask('eth_getLogs', range(last - 8), undefined, { anchor, maxLogBlocks: 8 })).toBe(
      'denied range 9 exceeds limit of 8 blocks whose logs are proven at once: ask for fewer',
    )
  })
})

describe('offload', () => {
  test('gets the checks of long answers alone, and its verdict counts', async () => {
    const sent: string[] = []
    const offload = async (check: LongCheck, context: RpcContext) => {
      expect(context.cancelled).toBeUndefined()
      sent.push(check.check)
      return runCheck(structuredClone(check))
    }
    expect(await ask('eth_getTransactionByHash', [tx.hash], undefined, { anchor, offload })).toBe('proven')
    expect(sent).toEqual([])
    const long: Tamper = (result, { method }) =>
      method.startsWith('eth_getBlock')
        ? Array.isArray(result)
          ? result.map((one: object) => ({ ...one, padding: 'x'.repeat(9_000) }))
          : { ...(result as object), padding: 'x'.repeat(9_000) }
        : result
    expect(await ask('eth_getBlockReceipts', [full.hash], long, { anchor, offload })).toBe('proven')
    expect(sent).toEqual(['block', 'receipts'])
    const broken = () => Promise.reject(new RpcError('overloaded', 'no'))
    expect(await ask('eth_getBlockByHash', [full.hash, true], long, { anchor, offload: broken })).toBe('overloaded no')
  })
})

describe('contradictionOf', () => {
  const truth = { hash: '0xab', value: '0x6', to: null, logs: [{ data: '0x00', topics: [] }], l1Fee: '0x1' }
  const fields = {
    hash: 'proven',
    value: 'proven',
    logs: 'proven',
    'logs.*.data': 'proven',
    l1Fee: 'unverifiable',
  } as const

  test.each([
    ['an equal answer', truth, undefined],
    ['other case and padding', { hash: '0xAB', value: '0x06' }, undefined],
    ['what either lacks', { value: null, to: '0x1', more: true }, undefined],
    ['what the report leaves open', { l1Fee: '0x2' }, undefined],
    ['another value', { value: '0x7' }, 'value'],
    ['another value within a list', { logs: [{ data: '0x01' }] }, 'logs.0.data'],
    ['a shorter list', { logs: [] }, 'logs'],
    ['another kind of value', { logs: '0x' }, 'logs'],
  ])('finds %s', (_what, claimed, field) => {
    expect(contradictionOf(claimed, truth, fields)?.field).toBe(field)
  })
})
