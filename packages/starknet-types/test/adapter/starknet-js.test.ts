// starknet.js as it is published, over an adapter before a node of 0.10: which paths of a gateway its accounts can send by.
import { Account, config, RpcProvider } from 'starknet'
import { beforeAll, describe, expect, it } from 'vitest'
import { adaptCalls } from '../../src/adapter/index.ts'
import { starknetMethods, type StarknetVersion } from '../../src/index.ts'

const price = { price_in_fri: '0x1', price_in_wei: '0x1' }
const commitments = Object.fromEntries(
  ['event', 'transaction', 'receipt', 'state_diff'].map((name) => [`${name}_commitment`, '0x0']),
)

/** Answers of a node of 0.10 whose chain has one empty block. */
const answers: Readonly<Record<string, unknown>> = {
  starknet_specVersion: '0.10.2',
  starknet_chainId: '0x534e5f5345504f4c4941',
  starknet_getNonce: '0x0',
  starknet_getBlockWithTxs: {
    status: 'ACCEPTED_ON_L2',
    block_hash: '0x1',
    block_number: 0,
    parent_hash: '0x0',
    new_root: '0x0',
    timestamp: 1,
    sequencer_address: '0x1',
    starknet_version: '0.14.1',
    l1_gas_price: price,
    l1_data_gas_price: price,
    l2_gas_price: price,
    l1_da_mode: 'BLOB',
    ...commitments,
    event_count: 0,
    transaction_count: 0,
    state_diff_length: 0,
    transactions: [],
  },
  starknet_estimateFee: [
    {
      l1_gas_consumed: '0x0',
      l1_gas_price: '0x1',
      l2_gas_consumed: '0x10',
      l2_gas_price: '0x1',
      l1_data_gas_consumed: '0x1',
      l1_data_gas_price: '0x1',
      overall_fee: '0x11',
      unit: 'FRI',
    },
  ],
  starknet_addInvokeTransaction: { transaction_hash: '0x1' },
}

/** Options of a provider whose calls reach the node as those of a version. */
function nodeFor(caller: StarknetVersion) {
  const adapt = adaptCalls({ caller, endpoint: '0.10' })
  const answerTo = (method: string, params: unknown): object => {
    const adaptation = adapt(method, params)
    if ('refusal' in adaptation) return { error: adaptation.refusal }
    if ('answer' in adaptation) return { result: adaptation.answer }
    const { answer = (result: unknown) => result } = adaptation.call
    return { result: answer(answers[method]) }
  }
  const baseFetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const { id, method, params } = JSON.parse(String(init!.body)) as { id: number; method: string; params: unknown }
    return Response.json({ jsonrpc: '2.0', id, ...answerTo(method, params) })
  }
  return { nodeUrl: 'http://node/', baseFetch: baseFetch as typeof fetch }
}

async function invoke(caller: StarknetVersion): Promise<string> {
  const provider = new RpcProvider(nodeFor(caller))
  const account = new Account({ provider, address: '0x1234', signer: '0x5678', cairoVersion: '1' })
  const { transaction_hash } = await account.execute([{ contractAddress: '0x1', entrypoint: 'f', calldata: [] }])
  return transaction_hash
}

describe('starknet.js', () => {
  beforeAll(() => config.set('logLevel', 'OFF'))

  it('gets from the node only answers of its version', () => {
    for (const [method, answer] of Object.entries(answers))
      expect(starknetMethods['0.10'][method as 'starknet_chainId'].result.check(answer, method)).toBeUndefined()
  })

  it.each(['0.9', '0.10'] as const)('estimates and sends by a path of %s', async (caller) => {
    expect(await invoke(caller)).toBe('0x1')
  })

  it('is told by a path of 0.5.1, which has no bounds to estimate, which version it should speak', async () => {
    await expect(RpcProvider.create(nodeFor('0.5.1'))).rejects.toThrow('specification version 0.5.1 is not compatible')
    await expect(invoke('0.5.1')).rejects.toThrow(
      'between a caller of Starknet RPC 0.5.1 and a node of 0.10: simulation_flags of starknet_estimateFee is in 0.6 and later',
    )
  })
})
