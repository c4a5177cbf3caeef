// starknet.js as it is published, through a gateway before a real starknet-devnet; and what our hashes say of its transactions.
import type { StarknetDevAccount } from '@wayleave/dev-node'
import type { AnySchema } from '@wayleave/jsonrpc-core/schema'
import { pathOf, starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import {
  publicKeyOf,
  type SierraClass,
  sierraClassHash,
  transactionHash,
  verifySignature,
} from '@wayleave/starknet-types/hash'
import {
  Account,
  type CompiledSierra,
  type CompiledSierraCasm,
  config,
  Contract,
  hash,
  RpcError,
  RpcProvider,
  stark,
  WebSocketChannel,
} from 'starknet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpUrl, wsUrl } from '../test/support/gateway.ts'
import {
  askEach,
  type Asked,
  chainFelt,
  type StarknetNetwork,
  startStarknetNetwork,
  strk,
} from './support/starknet-network.ts'

const program = process.env['STARKNET_DEVNET']

/** The versions that starknet.js speaks: as the path says, and as it is told; untold, it asks. */
const versions = [
  { path: 'v0_10', reported: undefined, speaks: '0.10.2' },
  { path: 'v0_9', reported: '0.9.0', speaks: '0.9.0' },
  { path: 'v0_9', reported: undefined, speaks: '0.9.0' },
] as const

describe.skipIf(program === undefined)('starknet.js', () => {
  let network: StarknetNetwork
  beforeAll(async () => {
    // It warns of each block that has few tips to learn from.
    config.set('logLevel', 'OFF')
    network = await startStarknetNetwork(program!)
  })
  afterAll(() => network?.[Symbol.asyncDispose]())

  const opened = ({ path, reported }: (typeof versions)[number]) => {
    const nodeUrl = `${httpUrl(network.gateway, 'starknet-dev')}/rpc/${path}`
    return new RpcProvider({ nodeUrl, ...(reported !== undefined && { specVersion: reported }) })
  }
  const accountOf = (provider: RpcProvider, { address, privateKey }: StarknetDevAccount) =>
    new Account({ provider, address, signer: privateKey })

  /** What came of a transaction, once its hash and its signature are known to be what we say they are. */
  async function settle(provider: RpcProvider, transaction_hash: string, privateKey: string) {
    const receipt = await provider.waitForTransaction(transaction_hash, { retryInterval: 20 })
    const transaction = await provider.getTransactionByHash(transaction_hash)
    const { signature } = transaction as { readonly signature: string[] }
    expect(transactionHash(transaction as Parameters<typeof transactionHash>[0], chainFelt)).toBe(transaction_hash)
    expect(verifySignature({ hash: transaction_hash, publicKey: publicKeyOf(privateKey), signature })).toBe(true)
    expect(receipt.isSuccess()).toBe(true)
    return receipt.value as { readonly actual_fee: { readonly amount: string; readonly unit: string } }
  }

  const transfer = (recipient: string, amount: bigint) => ({
    contractAddress: strk,
    entrypoint: 'transfer',
    calldata: [recipient, String(amount), '0'],
  })

  it.each(versions)('asks for the version or is told it: $path, $told', async (version) => {
    expect(await opened(version).getSpecVersion()).toBe(version.speaks)
  })

  it('is told which path to use by one that names no version', async () => {
    const nodeUrl = httpUrl(network.gateway, 'starknet-dev')
    await expect(RpcProvider.create({ nodeUrl })).rejects.toThrow('end the URL with /rpc/v0_10')
    await expect(RpcProvider.create({ nodeUrl: `${nodeUrl}/rpc/v0_10` })).resolves.toBeInstanceOf(RpcProvider)
  })

  describe.each(versions.slice(0, 2))('of $speaks', (version) => {
    it('declares a class, deploys it and calls it', async () => {
      const provider = opened(version)
      const { privateKey, ...dev } = network.devnet.accounts[0]!
      const account = accountOf(provider, { privateKey, ...dev })
      const known = await provider.getClassHashAt(account.address)
      const { abi: text, ...rest } = (await provider.getClassByHash(known)) as unknown as CompiledSierra
      // The class of the accounts under another ABI is a class that nobody declared.
      const parsed = (typeof text === 'string' ? JSON.parse(text) : text) as CompiledSierra['abi']
      const abi = [...parsed, { type: 'interface', name: `twin::of::${version.path}`, items: [] }]
      const contract: CompiledSierra = { ...rest, abi }
      const casm = (await provider.getCompiledCasm(known)) as unknown as CompiledSierraCasm

      const estimate = await account.estimateDeclareFee({ contract, casm })
      const declared = await account.declare({ contract, casm })
      const { actual_fee } = await settle(provider, declared.transaction_hash, privateKey)
      expect(actual_fee.unit).toBe('FRI')
      expect(BigInt(actual_fee.amount)).toBeLessThanOrEqual(estimate.overall_fee)
      // The library puts the ABI into this text; devnet tells it without the spaces.
      const declaredAbi = hash.formatSpaces(JSON.stringify(abi))
      expect(sierraClassHash({ ...(rest as Omit<SierraClass, 'abi'>), abi: declaredAbi })).toBe(declared.class_hash)

      const deployed = await account.deploy({
        classHash: declared.class_hash,
        constructorCalldata: ['0x1234'],
        salt: '0x7',
      })
      await settle(provider, deployed.transaction_hash, privateKey)
      const address = deployed.contract_address[0]!
      const twin = new Contract({ abi, address, providerOrAccount: provider })
      expect(await twin.call('get_public_key')).toBe(0x1234n)
      expect(await provider.getClassHashAt(address)).toBe(declared.class_hash)
    })

    it('estimates, simulates and sends a call of a contract, which then costs no more', async () => {
      const provider = opened(version)
      const { privateKey, ...dev } = network.devnet.accounts[0]!
      const account = accountOf(provider, { privateKey, ...dev })
      const call = transfer('0x1234', 5n)
      const { overall_fee, unit } = await account.estimateInvokeFee([call])
      const { simulated_transactions: simulated } = await account.simulateTransaction([{ type: 'INVOKE', ...call }])
      expect(simulated).toMatchObject([{ transaction_trace: { type: 'INVOKE' } }])
      const { transaction_hash } = await account.execute([call])
      const { actual_fee } = await settle(provider, transaction_hash, privateKey)
      expect(unit).toBe('FRI')
      // What is estimated has a margin.
      expect(BigInt(actual_fee.amount)).toBeLessThanOrEqual(overall_fee)
      const trace = await provider.getTransactionTrace(transaction_hash)
      expect(trace).toMatchObject({ type: 'INVOKE', execute_invocation: { contract_address: account.address } })
    })

    it('deploys an account of its own', async () => {
      const provider = opened(version)
      const rich = accountOf(provider, network.devnet.accounts[0]!)
      const privateKey = stark.randomAddress()
      const addressSalt = publicKeyOf(privateKey)
      const classHash = await provider.getClassHashAt(rich.address)
      const constructorCalldata = [addressSalt]
      const address = hash.calculateContractAddressFromHash(addressSalt, classHash, constructorCalldata, 0)
      const { transaction_hash: funded } = await rich.execute([transfer(address, 10n ** 18n)])
      await provider.waitForTransaction(funded, { retryInterval: 20 })
      const account = new Account({ provider, address, signer: privateKey })
      const made = await account.deployAccount({ classHash, constructorCalldata, addressSalt })
      await settle(provider, made.transaction_hash, privateKey)
      expect(made.contract_address).toBe(address)
    })

    it('tells what is wrong by its types', async () => {
      const provider = opened(version)
      const account = accountOf(provider, network.devnet.accounts[1]!)
      const whatFails = async (failing: Promise<unknown>): Promise<RpcError> => {
        const thrown: unknown = await failing.then(
          () => undefined,
          (error: unknown) => error,
        )
        if (!(thrown instanceof RpcError)) throw new Error('an RpcError was expected', { cause: thrown })
        return thrown
      }
      const reverting = await whatFails(account.estimateInvokeFee([transfer('0x1234', 2n ** 127n)]))
      expect(reverting.isType('TRANSACTION_EXECUTION_ERROR')).toBe(true)
      expect(reverting.message).toContain('ERC20: insufficient balance')
      const { resourceBounds } = await account.estimateInvokeFee([transfer('0x1234', 1n)])
      const late = await whatFails(account.execute([transfer('0x1234', 1n)], { nonce: 77, resourceBounds }))
      expect(late.isType('INVALID_TRANSACTION_NONCE')).toBe(true)
      const missing = await whatFails(provider.getTransactionByHash('0x1'))
      expect(missing.isType('TXN_HASH_NOT_FOUND')).toBe(true)
      expect((await whatFails(provider.getBlock(9_999))).isType('BLOCK_NOT_FOUND')).toBe(true)
    })
  })

  it('subscribes to heads and to events, from a block of the past on, and leaves them', async () => {
    const channel = new WebSocketChannel({ nodeUrl: `${wsUrl(network.gateway, 'starknet-ws')}/rpc/v0_10` })
    await channel.waitForConnection()
    const heads = await channel.subscribeNewHeads()
    const events = await channel.subscribeEvents({ fromAddress: strk, blockIdentifier: 0 })
    const head = new Promise<{ readonly block_number: number }>((resolve) => heads.on(resolve))
    const event = new Promise<{ readonly from_address: string }>((resolve) => events.on(resolve))
    expect((await event).from_address).toBe(strk)
    const made = await askEach(httpUrl(network.gateway, 'starknet-ws'), [['devnet_createBlock', {}]])
    const { block_hash } = made[0]!.result as { readonly block_hash: string }
    expect(await head).toMatchObject({ block_hash })
    expect(await heads.unsubscribe()).toBe(true)
    expect(await events.unsubscribe()).toBe(true)
    channel.disconnect()
    await channel.waitForDisconnection()
  })

  it.each(starknetVersions)('leaves a chain that callers of %s read in their own shapes', async (version) => {
    const url = `${httpUrl(network.gateway, 'starknet-dev')}/rpc/${pathOf(version)}`
    const methods = starknetMethods[version] as Readonly<Record<string, { readonly result: AnySchema }>>
    const [counted] = await askEach(url, [['starknet_blockNumber', []]])
    const blocks = Array.from({ length: Number(counted!.result) + 1 }, (_, i) => ({ block_number: i }))
    const listed = await askEach(
      url,
      blocks.map((block_id): Asked => ['starknet_getBlockWithTxHashes', { block_id }]),
    )
    const hashes = listed.flatMap(({ result }) => (result as { readonly transactions: string[] }).transactions)
    const filter = { from_block: blocks[0], to_block: blocks.at(-1), chunk_size: 100 }
    const calls: Asked[] = [
      ['starknet_getEvents', { filter }],
      ...[
        'starknet_getBlockWithTxHashes',
        'starknet_getBlockWithTxs',
        'starknet_getBlockWithReceipts',
        'starknet_getStateUpdate',
        'starknet_traceBlockTransactions',
      ].flatMap((method) => blocks.map((block_id): Asked => [method, { block_id }])),
      ...[
        'starknet_getTransactionByHash',
        'starknet_getTransactionReceipt',
        'starknet_getTransactionStatus',
        'starknet_traceTransaction',
      ].flatMap((method) => hashes.map((transaction_hash): Asked => [method, { transaction_hash }])),
    ]
    const asked = calls.filter(([method]) => Object.hasOwn(methods, method))
    const answers = await askEach(url, asked)
    const issues = answers.flatMap(({ result, error }, i) => {
      const [method, params] = asked[i]!
      const issue = error ?? methods[method]!.result.check(result, method)
      return issue === undefined ? [] : [{ method, params, issue }]
    })
    expect(hashes.length).toBeGreaterThanOrEqual(10)
    expect(issues).toEqual([])
  })
})
