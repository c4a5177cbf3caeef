// A real starknet-devnet, of version 0.10 of the interface, behind a gateway: what callers of every version get of it.
import { createClient } from '@wayleave/client'
import { starknet as starknetApi } from '@wayleave/client/starknet'
import { type AnySchema, assertValid } from '@wayleave/jsonrpc-core/schema'
import { starknetMethods, starknetVersions, pathOf } from '@wayleave/starknet-types'
import { isTransactionHash, transactionHash, verifySignature } from '@wayleave/starknet-types/hash'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { key } from '../test/support/gateway.ts'
import type { RpcAnswer } from '../test/support/http.ts'
import {
  askEach,
  type Asked,
  chainFelt,
  settled,
  signTransfer,
  type StarknetNetwork,
  startStarknetNetwork,
  strk,
  waysTo,
} from './support/starknet-network.ts'

interface Simulation {
  readonly fee_estimation: Readonly<Record<string, string>>
  readonly transaction_trace: Readonly<Record<string, unknown>>
}

const program = process.env['STARKNET_DEVNET']
const own = starknetMethods['0.5.1']

describe.skipIf(program === undefined)('starknet-devnet', () => {
  let network: StarknetNetwork
  beforeAll(async () => void (network = await startStarknetNetwork(program!)))
  afterAll(() => network?.[Symbol.asyncDispose]())

  const account = () => network.devnet.accounts[0]!
  const direct = (calls: readonly Asked[]) => askEach(network.devnet.httpUrl, calls)
  const through = (version: string | undefined, calls: readonly Asked[]) =>
    waysTo(network)['over HTTP']!(version, calls)
  const nonce = async (): Promise<number> => {
    const [answer] = await direct([['starknet_getNonce', ['latest', account().address]]])
    return Number(answer!.result)
  }

  describe.each(['over HTTP', 'in a batch', 'over WebSocket', 'of a node over WebSocket'])('%s', (way) => {
    it.each(['v0_5', undefined])(
      'a signed transaction of version 3 is estimated and simulated in the shapes of 0.5.1: path %s',
      async (version) => {
        const transactions = [signTransfer(account(), { nonce: await nonce() })]
        const [estimated, simulated] = await waysTo(network)[way]!(version, [
          ['starknet_estimateFee', { request: transactions, block_id: 'latest' }],
          ['starknet_simulateTransactions', { block_id: 'latest', transactions, simulation_flags: [] }],
        ])
        const [native] = await direct([
          ['starknet_simulateTransactions', { block_id: 'latest', transactions, simulation_flags: [] }],
        ])
        const { fee_estimation: theirs, transaction_trace: trace } = (native!.result as readonly Simulation[])[0]!
        const { overall_fee, l2_gas_consumed, l2_gas_price } = theirs
        const fee = {
          gas_consumed: l2_gas_consumed,
          gas_price: l2_gas_price,
          overall_fee,
        }
        expect(estimated!.result).toEqual([fee])
        assertValid(own.starknet_estimateFee.result, estimated!.result, 'estimate')
        expect(simulated!.result).toMatchObject([{ fee_estimation: fee, transaction_trace: { type: trace['type'] } }])
        expect(JSON.stringify(simulated!.result)).not.toMatch(/wayleave|execution_resources|is_reverted|migrated_/)
        assertValid(own.starknet_simulateTransactions.result, simulated!.result, 'simulation')
        const { type, execute_invocation, state_diff } = trace
        expect(type).toBe('INVOKE')
        expect(Object.keys(execute_invocation as object)).toEqual(expect.arrayContaining(membersOfCall))
        expect(Object.keys(state_diff as object)).toEqual(expect.arrayContaining(membersOfDiff))
      },
    )

    it('a caller of its own version gets what it answers itself', async () => {
      const transactions = [signTransfer(account(), { nonce: await nonce() })]
      const calls: Asked[] = [
        ['starknet_estimateFee', { request: transactions, simulation_flags: [], block_id: 'latest' }],
        ['starknet_estimateFee', [transactions, ['SKIP_VALIDATE'], 'latest']],
        ['starknet_simulateTransactions', ['latest', transactions, ['SKIP_FEE_CHARGE']]],
        ['starknet_simulateTransactions', ['latest', transactions, ['RETURN_INITIAL_READS']]],
        ['starknet_specVersion', []],
      ]
      const answers = await direct(calls)
      expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
      expect(settled(await waysTo(network)[way]!('v0_10', calls))).toEqual(settled(answers))
    })
  })

  it('transactions are estimated each on the state that the one before it leaves, for a query, too', async () => {
    const first = await nonce()
    const query = '0x100000000000000000000000000000003'
    const [signed, queried] = (['0x3', query] as const).map((version) =>
      [first, first + 1].map((each) => signTransfer(account(), { nonce: each, version })),
    )
    const calls = [signed, queried].map((request): Asked => ['starknet_estimateFee', { request, block_id: 'latest' }])
    const [of3, ofQuery] = (await through('v0_5', calls)) as readonly { result: readonly { overall_fee: string }[] }[]
    expect(of3!.result).toHaveLength(2)
    // The second one changes storage that the first one made.
    expect(Number(of3!.result[1]!.overall_fee)).toBeLessThan(Number(of3!.result[0]!.overall_fee))
    expect(ofQuery!.result).toEqual(of3!.result)
  })

  it.each(starknetVersions)(
    'a caller of %s gets the same fee in his shape, of the block in the making, too',
    async (version) => {
      const transactions = [signTransfer(account(), { nonce: await nonce() })]
      const inTheMaking =
        starknetVersions.indexOf(version) < starknetVersions.indexOf('0.9') ? 'pending' : 'pre_confirmed'
      const calls = ['latest', inTheMaking].flatMap((block_id): Asked[] => {
        const flags = version === '0.5.1' ? {} : { simulation_flags: [] }
        return [
          ['starknet_estimateFee', { request: transactions, ...flags, block_id }],
          ['starknet_simulateTransactions', { transactions, simulation_flags: [], block_id }],
        ]
      })
      const [estimated, simulated, ...again] = (await through(pathOf(version), calls)).map(({ result }) => result)
      const methods: Readonly<Record<string, { readonly result: AnySchema }>> = starknetMethods[version]
      expect(methods['starknet_estimateFee']!.result.check(estimated, 'estimate')).toBeUndefined()
      expect(methods['starknet_simulateTransactions']!.result.check(simulated, 'simulation')).toBeUndefined()
      expect(settled(again)).toEqual(settled([estimated, simulated]))
      const [native] = await direct([['starknet_estimateFee', [transactions, [], 'latest']]])
      const [{ overall_fee }] = native!.result as readonly [{ readonly overall_fee: string }]
      expect(estimated).toMatchObject([{ overall_fee }])
      expect(simulated).toMatchObject([{ fee_estimation: { overall_fee } }])
    },
  )

  it('a transaction costs what was estimated, has the hash that we compute, and is read by callers of every version', async () => {
    const transaction = signTransfer(account(), { nonce: await nonce() })
    const hash = transactionHash(transaction, chainFelt)
    const [estimate, sent] = [
      ...(await through('v0_5', [['starknet_estimateFee', [[transaction], 'latest']]])),
      ...(await through('v0_5', [['starknet_addInvokeTransaction', [transaction]]])),
    ] as const
    expect(sent!.result).toEqual({ transaction_hash: hash })
    for (const version of starknetVersions) {
      const [read, receipt] = (await through(pathOf(version), [
        ['starknet_getTransactionByHash', { transaction_hash: hash }],
        ['starknet_getTransactionReceipt', { transaction_hash: hash }],
      ])) as readonly { result: { actual_fee: string | { amount: string } } }[]
      const { l1_data_gas, ...bounds } = transaction.resource_bounds
      const resource_bounds = starknetVersions.indexOf(version) < 3 ? bounds : { ...bounds, l1_data_gas }
      expect(read!.result).toEqual({ ...transaction, resource_bounds, transaction_hash: hash })
      const spec: { readonly result: AnySchema } = starknetMethods[version].starknet_getTransactionReceipt
      expect(spec.result.check(receipt!.result, 'receipt')).toBeUndefined()
      const { actual_fee: fee } = receipt!.result
      expect(typeof fee === 'string' ? fee : fee.amount).toBe(
        (estimate!.result as { overall_fee: string }[])[0]!.overall_fee,
      )
    }
    expect(isTransactionHash(hash, transaction, chainFelt)).toBe(true)
    expect(verifySignature({ hash, publicKey: account().publicKey, signature: transaction.signature })).toBe(true)
  })

  it('callers of older versions may leave out in a list what only its version has', async () => {
    const [block] = await direct([['starknet_getBlockWithTxHashes', ['latest']]])
    const {
      transactions: [hash],
    } = block!.result as { transactions: string[] }
    const lists: readonly (readonly [method: string, list: readonly unknown[], named: object])[] = [
      ['getTransactionByHash', [hash], { transaction_hash: hash }],
      ['getTransactionByBlockIdAndIndex', ['latest', 0], { block_id: 'latest', index: 0 }],
      ['getStateUpdate', ['latest'], { block_id: 'latest' }],
      ['getStorageAt', [strk, '0x0', 'latest'], { contract_address: strk, key: '0x0', block_id: 'latest' }],
      ['getBlockWithTxs', ['latest'], { block_id: 'latest' }],
      ['getBlockWithReceipts', ['latest'], { block_id: 'latest' }],
      ['traceBlockTransactions', ['latest'], { block_id: 'latest' }],
    ]
    const named = await direct(lists.map(([method, , params]): Asked => [`starknet_${method}`, params]))
    expect(named.filter(({ error }) => error !== undefined)).toEqual([])
    const asked = lists.map(([method, list]): Asked => [`starknet_${method}`, list])
    expect((await through('v0_9', asked)).filter(({ error }) => error !== undefined)).toEqual([])
    const old = await through('v0_5', asked)
    // 0.5.1 has no receipts in blocks.
    expect(old.map(({ error }) => error?.code)).toEqual(
      asked.map(([method]) => (method === 'starknet_getBlockWithReceipts' ? -32601 : undefined)),
    )
    // Between equal versions nothing changes: it wants them all.
    expect(settled(await through('v0_10', asked))).toEqual(settled(await direct(asked)))
  })

  it('what is not there is an error to everybody, and never null', async () => {
    const at = { block_id: 'latest', contract_address: '0x777' }
    const calls: Asked[] = [
      ['starknet_getTransactionByHash', { transaction_hash: '0x1' }],
      ['starknet_getTransactionReceipt', { transaction_hash: '0x1' }],
      ['starknet_getTransactionStatus', { transaction_hash: '0x1' }],
      ['starknet_getBlockWithTxHashes', { block_id: { block_number: 999 } }],
      ['starknet_getStateUpdate', { block_id: { block_hash: '0x999' } }],
      ['starknet_getTransactionByBlockIdAndIndex', { block_id: 'latest', index: 99 }],
      ['starknet_getClass', { block_id: 'latest', class_hash: '0x1' }],
      ['starknet_getClassHashAt', at],
      ['starknet_getNonce', at],
      ['starknet_getStorageAt', { ...at, key: '0x0' }],
      ['starknet_traceTransaction', { transaction_hash: '0x1' }],
    ]
    const codes = (answers: readonly RpcAnswer[]) => answers.map(({ error }) => error?.code)
    const answers = await direct(calls)
    expect(codes(answers)).toEqual([29, 29, 29, 24, 24, 27, 28, 20, 20, 20, 29])
    expect(await through('v0_10', calls)).toEqual(answers)
    // 0.5.1 has a code of its own for a trace.
    expect(codes(await through('v0_5', calls))).toEqual([...codes(answers).slice(0, -1), 25])
  })

  describe('a transaction that cannot be', () => {
    const sent = (transaction: object): Asked => ['starknet_addInvokeTransaction', { invoke_transaction: transaction }]
    const simulated = (transaction: object): Asked => [
      'starknet_simulateTransactions',
      { block_id: 'latest', transactions: [transaction], simulation_flags: [] },
    ]
    const estimated = (transaction: object): Asked => [
      'starknet_estimateFee',
      { request: [transaction], simulation_flags: [], block_id: 'latest' },
    ]
    const errors = async (calls: readonly Asked[]) => {
      const [answers, native, old] = await Promise.all([direct(calls), through('v0_10', calls), through('v0_5', calls)])
      expect(native).toEqual(answers)
      return { native: native.map(({ error }) => error), old: old.map(({ error }) => error) }
    }

    it.each([
      ['whose nonce is wrong', { nonce: 7_000 }, 52, /nonce/],
      ['that the balance does not cover', { nonce: 0, gas: 10n ** 18n }, 54, /exceed balance/],
      ['whose bounds do not cover it', { nonce: 0, gas: 0n }, 53, /resources don't cover/],
    ] as const)(
      '%s: one code when it is sent, an execution error when it is tried out',
      async (_what, made, code, why) => {
        const transaction = signTransfer(account(), { ...made, nonce: made.nonce + (await nonce()) })
        const { native, old } = await errors([sent(transaction), simulated(transaction)])
        expect(native[0]).toMatchObject({ code })
        expect(old[0]).toEqual(native[0])
        expect(native[1]).toMatchObject({
          code: 41,
          data: { transaction_index: 0, execution_error: expect.stringMatching(why) },
        })
        expect(old[1]).toEqual({
          code: 40,
          message: 'Contract error',
          data: {
            revert_error: (native[1]!.data as { execution_error: string }).execution_error,
            wayleave: { adapted_from: '0.10', ...native[1] },
          },
        })
      },
    )

    it('that reverts: the calls on the way as a text, and as they were; its simulation tells the reason', async () => {
      const transaction = signTransfer(account(), { nonce: await nonce(), amount: 2n ** 200n })
      const { native, old } = await errors([estimated(transaction)])
      expect(native[0]).toMatchObject({ code: 41, data: { execution_error: { contract_address: account().address } } })
      const { revert_error, wayleave } = old[0]!.data as { revert_error: string; wayleave: object }
      expect(revert_error).toMatch(
        new RegExp(`^Error in contract ${account().address}, class 0x[^]*ERC20: insufficient balance`),
      )
      expect(wayleave).toEqual({ adapted_from: '0.10', ...native[0] })
      const [trace] = await through('v0_5', [simulated(transaction)])
      expect(trace!.result).toMatchObject([
        {
          transaction_trace: { execute_invocation: { revert_reason: expect.stringContaining('insufficient balance') } },
        },
      ])
      assertValid(own.starknet_simulateTransactions.result, trace!.result, 'simulation')
    })

    it('of version 1 is refused before it is asked, with what it takes', async () => {
      const transaction = {
        type: 'INVOKE',
        version: '0x1',
        sender_address: account().address,
        nonce: '0x0',
        calldata: [],
        max_fee: '0x1',
        signature: [],
      }
      const reason = 'the transaction has version 1, and a node of 0.10 takes only version 3'
      const { native, old } = await errors([sent(transaction), estimated(transaction), simulated(transaction)])
      for (const error of native)
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('"0x1"') })
      const data = { caller: '0.5.1', endpoint: '0.10', reason }
      expect(old).toMatchObject([
        { code: 61, data },
        { code: -32602, data },
        { code: -32602, data },
      ])
    })
  })

  it.each(['0.9', '0.10'] as const)('our client of %s estimates, sends and reads', async (version) => {
    const { rpc: url } = network.gateway
    const apis = { starknet: starknetApi({ version }) }
    const { starknet } = createClient({ url, apiKey: key, network: 'starknet-dev', apis })
    const transaction = signTransfer(account(), { nonce: await nonce() })
    const [fee] = await starknet.estimateFee({ request: [transaction], simulation_flags: [], block_id: 'latest' })
    const { transaction_hash } = await starknet.addInvokeTransaction([transaction])
    const { actual_fee } = await starknet.getTransactionReceipt([transaction_hash])
    expect(actual_fee).toEqual({ amount: fee!.overall_fee, unit: 'FRI' })
    expect(await starknet.getTransactionByHash({ transaction_hash })).toMatchObject(transaction)
  })
})

/** Source: Spec §2.9. */
const membersOfCall = [
  'call_type',
  'calldata',
  'caller_address',
  'calls',
  'class_hash',
  'contract_address',
  'entry_point_selector',
  'entry_point_type',
  'events',
  'messages',
  'result',
]
const membersOfDiff = [
  'declared_classes',
  'deployed_contracts',
  'deprecated_declared_classes',
  'nonces',
  'replaced_classes',
  'storage_diffs',
]
