// client.starknet against a real node, straight and through a real gateway that translates.
import { findStarknetDevnet, type StarknetDevnet, startStarknetDevnet } from '@wayleave/dev-node'
import { type BroadcastInvoke, isStarknetError } from '@wayleave/starknet-types'
import { invokeV3Hash, selector, sign } from '@wayleave/starknet-types/hash'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, RpcError } from '../../src/index.ts'
import { starknet, type StarknetClient } from '../../src/starknet/index.ts'
import { apiKey, failure, type Gateway } from '../helpers.ts'
import { serveGateway } from './serving.ts'

const binary = findStarknetDevnet()
/** The token that pays for transactions of version 3. Source: starknet-devnet. */
const strk = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'

describe.skipIf(binary === undefined)(
  'client.starknet of a real starknet-devnet (skipped where none is on the PATH)',
  () => {
    let devnet: StarknetDevnet
    let gateway: Gateway

    beforeAll(async () => {
      devnet = await startStarknetDevnet({ binary: binary! })
      gateway = await serveGateway({ dev: devnet.httpUrl })
    })

    afterAll(async () => {
      await gateway.close()
      await devnet[Symbol.asyncDispose]()
    })

    const kinds: readonly [string, () => Client & { readonly starknet: StarknetClient<'0.8' | '0.9' | '0.10'> }][] = [
      ['itself', () => createClient({ url: devnet.httpUrl, apis: { starknet: starknet({ version: '0.10' }) } })],
      [
        'behind a gateway, in 0.9',
        () => createClient({ url: gateway.url, apiKey, apis: { starknet: starknet({ version: '0.9' }) } }),
      ],
      [
        'behind a gateway, in 0.8',
        () => createClient({ url: gateway.url, apiKey, apis: { starknet: starknet({ version: '0.8' }) } }),
      ],
    ]

    it.each(kinds)('%s, estimates, simulates, sends and traces a transaction', async (_where, create) => {
      await using client = create()
      const { starknet: calls } = client
      const { address, privateKey } = devnet.accounts[0]! as { address: `0x${string}`; privateKey: string }
      const bound = { max_amount: '0x10000000', max_price_per_unit: '0x3b9aca00' } as const
      const unsigned = {
        type: 'INVOKE',
        version: '0x3',
        sender_address: address,
        // One call: transfer(0x5, 1).
        calldata: ['0x1', strk, selector('transfer'), '0x3', '0x5', '0x1', '0x0'],
        nonce: await calls.getNonce({ block_id: 'latest', contract_address: address }),
        tip: '0x0',
        paymaster_data: [],
        account_deployment_data: [],
        nonce_data_availability_mode: 'L1',
        fee_data_availability_mode: 'L1',
        resource_bounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
      } as const
      const hash = invokeV3Hash(unsigned, await calls.chainId())
      const invoke: BroadcastInvoke<'0.8'> = { ...unsigned, signature: sign(hash, privateKey) }

      const fees = await calls.estimateFee({ request: [invoke], simulation_flags: [], block_id: 'latest' })
      expect(BigInt(fees[0]!.overall_fee)).toBeGreaterThan(0n)
      const simulated = (await calls.simulateTransactions(['latest', [invoke], ['SKIP_VALIDATE']])) as readonly {
        readonly fee_estimation: object
      }[]
      expect(simulated[0]!.fee_estimation).toHaveProperty('l1_data_gas_price')
      const sent = await calls.addInvokeTransaction({ invoke_transaction: invoke })
      expect(sent.transaction_hash).toBe(hash)
      const receipt = await calls.getTransactionReceipt({ transaction_hash: hash })
      expect(receipt).toMatchObject({ execution_status: 'SUCCEEDED', transaction_hash: hash })
      expect(await calls.traceTransaction([hash])).toMatchObject({ type: 'INVOKE' })
    })

    it('in 0.5.1 behind a gateway, reads what the node says in its own words', async () => {
      await using client = createClient({ url: gateway.url, apiKey, apis: { starknet: starknet() } })
      // A byte array: no whole words, `STRK`, and its length.
      const request = { contract_address: strk, entry_point_selector: selector('symbol'), calldata: [] } as const
      expect(await client.starknet.call({ request, block_id: 'pending' })).toEqual(['0x0', '0x5354524b', '0x4'])
      const block = await client.starknet.getBlockWithTxHashes({ block_id: { block_number: 0 } })
      expect(block).toMatchObject({ block_number: 0, status: 'ACCEPTED_ON_L2' })
      const thrown = await failure(client.starknet.getNonce({ block_id: 'latest', contract_address: '0x1234' }))
      expect(thrown instanceof RpcError && isStarknetError(thrown, 20)).toBe(true)
    })
  },
)
