// client.starknet against a real gateway over nodes of several versions, with what real nodes answered.
import { isStarknetError, type StarknetVersion, starknetVersions } from '@wayleave/starknet-types'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient, RpcError, SchemaError } from '../../src/index.ts'
import { starknet, type StarknetClient } from '../../src/starknet/index.ts'
import { apiKey, failure, type Gateway } from '../helpers.ts'
import { answerTo, type PeerCall, serveCalls } from '../peer.ts'
import { recorded, serveGateway, serveStarknet, type StarknetNode } from './serving.ts'

const simulation = await recorded('starknet_simulateTransactions/0.8.0-declare_deploy_and_invoke_sierra_class')
const estimate = await recorded('starknet_estimateFee/0.8.0-declare_deploy_invoke_sierra_0_13_1')
const old = await recorded('starknet_estimateFee/0.6.0-declare_deploy_invoke_sierra_0_13_1')
const nothing = { request: [], simulation_flags: [], block_id: 'latest' } as const
const hash = { transaction_hash: '0x8' }
const answers = {
  starknet_blockNumber: 7,
  starknet_getNonce: '0x5',
  starknet_estimateFee: estimate.result,
  starknet_simulateTransactions: simulation.result,
  starknet_addInvokeTransaction: hash,
  starknet_call: { code: 40, message: 'Contract error', data: { revert_error: 'out of gas' } },
  starknet_getClassHashAt: { code: 20, message: 'Contract not found' },
}

let six: StarknetNode
let eight: StarknetNode
let gateway: Gateway

beforeAll(async () => {
  ;[six, eight] = await Promise.all([
    serveStarknet('0.6.0', { ...answers, starknet_estimateFee: old.result }),
    serveStarknet('0.8.1', answers),
  ])
  gateway = await serveGateway({ six: six.url, eight: eight.url })
})

afterAll(async () => {
  await gateway.close()
  six.close()
  eight.close()
})

/** A client of the node of 0.8 behind the gateway. */
const of = <V extends StarknetVersion = '0.5.1'>(version?: V) =>
  createClient({
    url: gateway.url,
    apiKey,
    network: 'eight',
    apis: { starknet: starknet({ ...(version && { version }) }) },
  })

describe('client.starknet', () => {
  it('speaks 0.5.1 through a gateway unless told otherwise, whatever the node speaks', async () => {
    const { request } = old.params as Parameters<StarknetClient['estimateFee']>[0] & { readonly request: readonly [] }
    // A node of 0.8 takes no transaction that a caller of 0.5.1 can spell, so it is asked about none.
    for (const [network, transactions] of [
      ['six', request],
      ['eight', []],
    ] as const) {
      await using client = createClient({ url: gateway.url, apiKey, network, apis: { starknet: starknet() } })
      const [fee] = await client.starknet.estimateFee({ request: transactions, block_id: 'latest' })
      expect(fee).toMatchObject({ overall_fee: expect.stringMatching(/^0x/) as string })
      expect(Object.keys(fee!).filter((name) => name.startsWith('l1_'))).toEqual([])
    }
  })

  it('speaks the version that is named: its answers are those of the node', async () => {
    await using client = of('0.8')
    expect(await client.starknet.estimateFee(nothing)).toEqual(estimate.result)
    const simulated = await client.starknet.simulateTransactions({
      block_id: 'latest',
      transactions: [],
      simulation_flags: ['SKIP_VALIDATE'],
    })
    expect(simulated).toEqual(simulation.result)
    expect(simulated[0]!.fee_estimation.l2_gas_price).toMatch(/^0x/)
  })

  it.each(starknetVersions)('is served in version %s by the path of the gateway', async (version) => {
    await using client = of(version)
    expect(await client.starknet.blockNumber()).toBe(7)
    expect(await client.starknet.specVersion({ timeoutMs: 5_000 })).toMatch(
      new RegExp(`^${version.replace('.', '\\.')}`),
    )
  })

  it('takes params by name and by position, and sends none where there are none', async () => {
    const node = await serveStarknet('0.8.1', answers)
    onTestFinished(() => node.close())
    await using client = createClient({ url: node.url, apis: { starknet: starknet({ version: '0.8' }) } })
    await client.starknet.getNonce({ block_id: 'latest', contract_address: '0x1' }, { timeoutMs: 5_000 })
    await client.starknet.getNonce(['pending', '0x1'])
    await client.starknet.blockNumber()
    await client.starknet.blockNumber({ timeoutMs: 5_000 })
    expect(node.seen.map(({ path, body }) => [path, body.method, body.params])).toEqual([
      ['/', 'starknet_getNonce', { block_id: 'latest', contract_address: '0x1' }],
      ['/', 'starknet_getNonce', ['pending', '0x1']],
      ['/', 'starknet_blockNumber', []],
      ['/', 'starknet_blockNumber', []],
    ])
  })

  it('goes over WebSocket, too, in its version', async () => {
    await using client = createClient({
      url: gateway.url,
      apiKey,
      network: 'eight',
      apis: { starknet: starknet({ version: '0.8' }) },
      transport: 'websocket',
    })
    expect(await client.starknet.estimateFee(nothing)).toEqual(estimate.result)
  })

  it('refuses wrong params before it sends anything', async () => {
    const node = await serveStarknet('0.8.1')
    onTestFinished(() => node.close())
    const { starknet: calls } = createClient({ url: node.url, apis: { starknet: starknet({ version: '0.8' }) } })
    const wrong = [
      [
        calls.getNonce({ block_id: 'newest' as 'latest', contract_address: '0x1' }),
        'starknet_getNonce params.block_id: ',
      ],
      [calls.getNonce(['latest'] as never), 'starknet_getNonce params.contract_address: expected a felt'],
      [calls.getNonce(undefined as never), 'starknet_getNonce params: expected { block_id, contract_address } or ['],
    ] as const
    for (const [call, words] of wrong) {
      const thrown = await failure(call)
      expect(thrown).toBeInstanceOf(SchemaError)
      expect(thrown.message).toContain(words)
    }
    expect(node.seen).toEqual([])
  })

  it('rejects with the error of the node, whose data a guard tells', async () => {
    await using client = of('0.8')
    const request = { contract_address: '0x1', entry_point_selector: '0x2', calldata: [] } as const
    const thrown = await failure(client.starknet.call({ request, block_id: 'latest' }))
    if (!(thrown instanceof RpcError) || !isStarknetError(thrown, 40, '0.8')) throw thrown
    expect(thrown.rpc.data.revert_error).toBe('out of gas')
    expect(thrown.message).toBe('starknet_call: Contract error (40)')
    const missing = client.starknet.getClassHashAt(['latest', '0x1'])
    await expect(missing).rejects.toMatchObject({ code: 'rpc', rpc: { code: 20 } })
  })

  it('gives an answer as it came, with what its version does not have', async () => {
    const transaction = { type: 'INVOKE', version: '0x3', transaction_hash: '0x8', tip: '0x0', of_its_own: 1 }
    const node = await serveStarknet('0.8.1', { starknet_getTransactionByHash: transaction })
    onTestFinished(() => node.close())
    await using client = createClient({ url: node.url, apis: { starknet: starknet() } })
    expect(await client.starknet.getTransactionByHash(['0x8'])).toEqual(transaction)
  })

  it('says so where the version lacks the method', async () => {
    await using client = of()
    const { getStorageProof } = client.starknet as unknown as Record<string, () => Promise<unknown>>
    await expect(getStorageProof!()).rejects.toThrow('starknet_getStorageProof is not in version 0.5.1')
  })

  it('repeats a read, and a transaction only where it cannot have arrived', async () => {
    const peer = await serveCalls((call, nth, response) => {
      if (nth % 2 === 1) response.writeHead(503).end()
      else response.end(answerTo(call as PeerCall, '7'))
    })
    await using client = createClient({
      url: peer.url,
      apis: { starknet: starknet({ version: '0.8' }) },
      retry: { baseDelayMs: 1 },
    })
    expect(await client.starknet.blockNumber()).toBe(7)
    expect(peer.posts()).toBe(2)
    await expect(client.requestUnchecked('starknet_addInvokeTransaction', {})).rejects.toMatchObject({
      code: 'http_status',
    })
    expect(peer.posts()).toBe(3)
  })

  it('makes identical reads in flight one call', async () => {
    const waiting: (() => void)[] = []
    const peer = await serveCalls((call, _nth, response) => {
      waiting.push(() => void response.end(answerTo(call as PeerCall, '7')))
    })
    await using client = createClient({ url: peer.url, apis: { starknet: starknet() } })
    const both = Promise.all([client.starknet.blockNumber(), client.starknet.blockNumber()])
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]!()
    expect(await both).toEqual([7, 7])
    expect(peer.posts()).toBe(1)
  })
})
