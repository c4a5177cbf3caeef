import {
  createContext,
  isStream,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { createScriptedPeer, handlerLaws, type PeerAction, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { adaptedFrom, adaptStarknet, type AdaptStarknetOptions } from '../../src/adapter/index.ts'

const options: AdaptStarknetOptions = { caller: '0.5.1', endpoint: '0.8' }
const fee =
  '{"l1_gas_consumed":"0x1","l1_gas_price":"0x2","l2_gas_consumed":"0x0","l2_gas_price":"0x3",' +
  '"l1_data_gas_consumed":"0x4","l1_data_gas_price":"0x5","overall_fee":"0x16","unit":"FRI","later":1e2}'

function ask(
  action: PeerAction | RpcHandler,
  method: string,
  params: string,
  more: Partial<AdaptStarknetOptions> = {},
  acceptStream = false,
): Promise<RpcResponse> {
  const inner = typeof action === 'function' ? action : peerHandler(createScriptedPeer(() => action))
  const request = { method, params: rawJsonFromText(params), notification: false }
  const context = createContext({ timeoutMs: 2_000 })
  const fork = context.fork({ acceptStream })
  return adaptStarknet({ ...options, ...more })(inner)(request, fork.context)
}

async function textOf(response: Promise<RpcResponse>): Promise<string> {
  const { result } = await response
  if (result === undefined || isStream(result)) throw new Error('no whole result')
  return result.text()
}

describe('the laws of handlers', () => {
  for (const law of handlerLaws({ create: (peer) => adaptStarknet(options)(peerHandler(peer)) })) it(law.name, law.run)
})

describe('the laws of handlers, for methods of Starknet', () => {
  const create = (endpoint: '0.6' | '0.9') => (peer: Parameters<typeof peerHandler>[0]) =>
    adaptStarknet({ caller: '0.5.1', endpoint })(peerHandler(peer))
  const write = 'starknet_addInvokeTransaction'
  for (const law of handlerLaws({ create: create('0.9'), read: 'starknet_call', write })) it(law.name, law.run)
  // Its answers are held to be adapted, and those of the laws are none.
  const held = handlerLaws({ create: create('0.6'), read: 'starknet_getTransactionReceipt', write })
  for (const law of held.filter(({ name }) => /settles|rejects|asks no/.test(name))) it(`held: ${law.name}`, law.run)
})

describe('adaptStarknet', () => {
  it('adapts an answer, and keeps each number as it came', async () => {
    const text = await textOf(
      ask({ kind: 'answer', body: `"result":[${fee}]` }, 'starknet_estimateFee', '[[],"latest"]'),
    )
    expect(text).toBe('[{"overall_fee":"0x16","later":1e2,"gas_consumed":"0x1","gas_price":"0x2"}]')
  })

  it('marks an answer that was changed with its version and with the members that nobody knows', async () => {
    const marked = async (answer: unknown, method: string, params: string) => {
      const { meta } = await ask(async () => ({ result: rawJsonFromValue(answer) }), method, params)
      return adaptedFrom.of(meta)
    }
    const receipt = { actual_fee: { amount: '0x1', unit: 'FRI' }, execution_resources: { l1_gas: 1 } }
    const asked = ['starknet_getTransactionReceipt', '["0x1"]'] as const
    expect(await marked(receipt, ...asked)).toEqual({ version: '0.8', unknown: ['execution_resources'] })
    expect(await marked('0x1', 'starknet_getNonce', '["latest","0x1"]')).toBeUndefined()
    const status = { finality_status: 'ACCEPTED_ON_L2' }
    expect(await marked(status, 'starknet_getTransactionStatus', '["0x1"]')).toBeUndefined()
  })

  it('asks for a block with its receipts where the events of the block are to be counted', async () => {
    const asked: RpcRequest[] = []
    const block = {
      block_hash: '0x2',
      transactions: [{ transaction: {}, receipt: { transaction_hash: '0x1', events: [{}] } }],
    }
    const handler = adaptStarknet({ caller: '0.10', endpoint: '0.9' })(async (request) => {
      asked.push(request)
      return { result: rawJsonFromValue(block) }
    })
    const params = rawJsonFromText('{"block_id":"latest"}')
    const { result } = await handler(
      { method: 'starknet_getBlockWithTxHashes', params, notification: false },
      createContext({ timeoutMs: 1_000 }),
    )
    expect(asked).toMatchObject([{ method: 'starknet_getBlockWithReceipts', params }])
    expect((result as RawJson).value()).toMatchObject({ transactions: ['0x1'], event_count: 1, transaction_count: 1 })
  })

  it('adapts params, and keeps each number as it came', async () => {
    const asked: RpcRequest[] = []
    const node: RpcHandler = async (request) => {
      asked.push(request)
      return { result: rawJsonFromText('[]') }
    }
    await ask(node, 'starknet_estimateFee', '[[], {"block_number":1.0}]')
    expect(asked[0]!.params!.text()).toBe('[[],[],{"block_number":1.0}]')
    await ask(node, 'starknet_getNonce', ' [ "latest" , 1.0]')
    expect(asked[1]!.params!.text()).toBe(' [ "latest" , 1.0]')
  })

  it('passes bytes that are the same in both versions', async () => {
    const odd = '[ "0x1" , 12345678901234567890 ]'
    expect(await textOf(ask({ kind: 'answer', body: `"result":${odd}` }, 'starknet_call', '[{},"latest"]'))).toBe(odd)
    const status = '{ "finality_status" : "ACCEPTED_ON_L1" }'
    const held = ask({ kind: 'answer', body: `"result":${status}` }, 'starknet_getTransactionStatus', '["0x1"]', {
      endpoint: '0.9',
    })
    expect(await textOf(held)).toBe(status)
  })

  it('passes a stream that is the same in both versions, and holds one that is not', async () => {
    const streaming: PeerAction = { kind: 'stream', piece: fee, count: 3 }
    const passed = await ask(streaming, 'starknet_call', '[{},"latest"]', {}, true)
    expect(isStream(passed.result!)).toBe(true)
    const text = await textOf(ask(streaming, 'starknet_estimateFee', '[[],"latest"]', {}, true))
    expect((JSON.parse(text) as unknown[]).length).toBe(3)
  })

  it.each([true, false])('rejects an answer that is too long to be held; a stream: %s', async (acceptStream) => {
    const streaming: PeerAction = { kind: 'stream', piece: fee, count: 3 }
    const asked = ask(streaming, 'starknet_estimateFee', '[[],"latest"]', { maxBytes: 500 }, acceptStream)
    await expect(asked).rejects.toMatchObject({ code: 'too_large' })
  })

  it('asks no node where the call cannot be said, or its answer is known', async () => {
    const nobody: RpcHandler = () => Promise.reject(new Error('asked'))
    const refused = await ask(nobody, 'starknet_getStorageProof', '["latest"]')
    expect(refused.error).toMatchObject({ code: -32601, data: { caller: '0.5.1', endpoint: '0.8' } })
    expect(await textOf(ask(nobody, 'starknet_specVersion', '[]'))).toBe('"0.5.1"')
  })

  it('answers an error for an answer that cannot be said, and tells who gave it', async () => {
    const node: RpcHandler = async () => ({ result: rawJsonFromText('{"transactions":[]}'), meta: { endpoint: 'a' } })
    const response = await ask(node, 'starknet_getBlockWithTxs', '["pending"]', { endpoint: '0.9' })
    const reason = 'the answer holds no parent_hash, which 0.5.1 requires: ask as a caller of 0.9, or a node of 0.5.1'
    expect(response).toEqual({
      error: {
        code: -32603,
        message: `between a caller of Starknet RPC 0.5.1 and a node of 0.9: ${reason}`,
        data: { caller: '0.5.1', endpoint: '0.9', reason },
      },
      meta: { endpoint: 'a' },
    })
  })

  it("adapts a node's error by its own bytes", async () => {
    const raw =
      '{"code":41,"message":"Transaction execution error","data":{"transaction_index":1.0,"execution_error":"why"}}'
    const { data } = JSON.parse(raw) as { data: unknown }
    const error = { code: 41, message: 'Transaction execution error', data, raw: rawJsonFromText(raw) }
    const response = await ask(async () => ({ error }), 'starknet_estimateFee', '[[],"latest"]')
    expect(response.error).toMatchObject({ code: 40, data: { revert_error: 'why' } })
    expect(response.error!.raw!.text()).toBe(
      `{"code":40,"message":"Contract error","data":{"revert_error":"why","wayleave":{"adapted_from":"0.8",${raw.slice(1)}}}`,
    )
    const kept = {
      code: 24,
      message: 'Block not found',
      raw: rawJsonFromText('{"code":24,"message":"Block not found"}'),
    }
    expect((await ask(async () => ({ error: kept }), 'starknet_estimateFee', '[[],"latest"]')).error).toBe(kept)
  })

  it('rejects an answer that nests too deep to be adapted', async () => {
    const deep = `{"function_invocation":${'{"calls":['.repeat(20_000)}${']}'.repeat(20_000)}}`
    const node: RpcHandler = async () => ({ result: rawJsonFromText(deep) })
    const asked = ask(node, 'starknet_traceTransaction', '["0x1"]', { caller: '0.7' })
    await expect(asked).rejects.toMatchObject({ name: 'RpcError', code: 'too_large' })
  })

  it('is no more than the handler itself between equal versions', () => {
    const inner = peerHandler(createScriptedPeer(() => ({ kind: 'hang' })))
    expect(adaptStarknet({ caller: '0.8', endpoint: '0.8' })(inner)).toBe(inner)
  })

  it('rejects an answer to be adapted that is no JSON', async () => {
    const asked = ask(
      async () => ({ result: rawJsonFromText('{"a":01}') }),
      'starknet_estimateMessageFee',
      '[{},"latest"]',
    )
    await expect(asked).rejects.toMatchObject({ code: 'invalid_response' })
  })
})
