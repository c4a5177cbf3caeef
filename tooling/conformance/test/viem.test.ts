import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import {
  type Chain,
  createPublicClient,
  createWalletClient,
  http,
  parseEther,
  type PublicClient,
  type Transport,
  webSocket,
  type WebSocketTransport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alice, bob, deployDirectly } from './support/chain.ts'
import { abi, initCode, revertReason, runtimeCode } from './support/contract.ts'
import { httpUrl, startDevGateway, wsUrl } from './support/gateway.ts'
import { until } from './support/wait.ts'

let node: DevNode
let gateway: RunningGateway
let contract: Awaited<ReturnType<typeof deployDirectly>>

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
  contract = await deployDirectly(node.networks.dev.httpUrl)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const bobAddress = bob.address as `0x${string}`
const account = privateKeyToAccount(bob.privateKey as `0x${string}`)

/** An error and its causes. Left out: `message`, `metaMessages`, `url` and `body`, which name the URL or the call's id. */
function faceOf(thrown: unknown): unknown {
  const faces: unknown[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { name, shortMessage, details, code, data, reason, raw, signature, status } = error as unknown as Record<
      string,
      unknown
    >
    faces.push({ name, shortMessage, details, code, data, reason, raw, signature, status })
  }
  return faces
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('the call succeeded'),
    (thrown: unknown) => faceOf(thrown),
  )
}

interface Case {
  readonly transport: string
  readonly through: () => Transport
  readonly plain: () => Transport
}

const cases: readonly Case[] = [
  { transport: 'http', through: () => http(httpUrl(gateway)), plain: () => http(node.networks.dev.httpUrl) },
  {
    transport: 'http with batches',
    through: () => http(httpUrl(gateway), { batch: true }),
    plain: () => http(node.networks.dev.httpUrl, { batch: true }),
  },
  { transport: 'webSocket', through: () => webSocket(wsUrl(gateway)), plain: () => webSocket(node.networks.dev.wsUrl) },
]

describe.each(cases)('viem over $transport', ({ through, plain }) => {
  const clients = (): { via: PublicClient<Transport, Chain>; direct: PublicClient<Transport, Chain> } => ({
    via: createPublicClient({ chain: foundry, transport: through(), pollingInterval: 50 }),
    direct: createPublicClient({ chain: foundry, transport: plain(), pollingInterval: 50 }),
  })

  it('reads what the node holds', async () => {
    const read = async (client: PublicClient<Transport, Chain>): Promise<object> => {
      const block = await client.getBlock({ includeTransactions: true })
      const [
        chainId,
        blockNumber,
        balance,
        nonce,
        code,
        slot,
        logs,
        gasPrice,
        fees,
        transaction,
        receipt,
        value,
        missing,
      ] = await Promise.all([
        client.getChainId(),
        client.getBlockNumber({ cacheTime: 0 }),
        client.getBalance({ address: alice.address as `0x${string}` }),
        client.getTransactionCount({ address: alice.address as `0x${string}` }),
        client.getCode({ address: contract.address }),
        client.getStorageAt({ address: contract.address, slot: '0x0' }),
        client.getContractEvents({ address: contract.address, abi, eventName: 'Stored', fromBlock: 0n }),
        client.getGasPrice(),
        client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] }),
        client.getTransaction({ hash: contract.storedIn }),
        client.getTransactionReceipt({ hash: contract.storedIn }),
        client.readContract({ address: contract.address, abi, functionName: 'value' }),
        failure(client.getTransaction({ hash: `0x${'12'.repeat(32)}` })),
      ])
      return {
        block,
        chainId,
        blockNumber,
        balance,
        nonce,
        code,
        slot,
        logs,
        gasPrice,
        fees,
        transaction,
        receipt,
        value,
        missing,
      }
    }
    const { via, direct } = clients()
    const answers = await read(via)
    expect(answers).toEqual(await read(direct))
    expect(answers).toMatchObject({ chainId: 31337, code: runtimeCode, value: 42n, logs: [{ args: { value: 42n } }] })
  })

  it('sends a transaction and waits for the receipt that the node has', async () => {
    const { via: client, direct } = clients()
    const wallet = createWalletClient({ account, chain: foundry, transport: through() })
    const hash = await wallet.sendTransaction({ to: alice.address as `0x${string}`, value: parseEther('0.5') })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect(receipt).toEqual(await direct.getTransactionReceipt({ hash }))
    expect(await client.getTransaction({ hash })).toEqual(await direct.getTransaction({ hash }))
  })

  it('deploys a contract, calls it and reads its log', async () => {
    const { via: client, direct } = clients()
    const wallet = createWalletClient({ account, chain: foundry, transport: through() })
    const deployed = await client.waitForTransactionReceipt({
      hash: await wallet.deployContract({ abi, bytecode: initCode }),
    })
    const address = deployed.contractAddress!
    expect(await direct.getCode({ address })).toBe(runtimeCode)
    const hash = await wallet.writeContract({ address, abi, functionName: 'store', args: [7n] })
    await client.waitForTransactionReceipt({ hash })
    expect(await client.readContract({ address, abi, functionName: 'value' })).toBe(7n)
    const filter = { address, abi, eventName: 'Stored', fromBlock: 0n } as const
    const logs = await client.getContractEvents(filter)
    expect(logs.map(({ args }) => args)).toEqual([{ by: bobAddress, value: 7n }])
    expect(logs).toEqual(await direct.getContractEvents(filter))
  })

  it('decodes the reason of a revert as it does directly', async () => {
    const fail = (client: PublicClient<Transport, Chain>): Promise<unknown> =>
      failure(client.simulateContract({ address: contract.address, abi, functionName: 'fail', account: bobAddress }))
    const { via, direct } = clients()
    const face = await fail(via)
    expect(face).toEqual(await fail(direct))
    expect(face).toContainEqual(
      expect.objectContaining({ name: 'ContractFunctionRevertedError', reason: revertReason }),
    )
  })

  it('gets code 3 and the data of a revert from eth_estimateGas', async () => {
    const estimate = (client: PublicClient<Transport, Chain>): Promise<unknown> =>
      failure(
        client.request({
          method: 'eth_estimateGas',
          params: [{ from: bobAddress, to: contract.address, data: '0xa9cc4718' }],
        }),
      )
    const { via, direct } = clients()
    const face = await estimate(via)
    expect(face).toEqual(await estimate(direct))
    expect(face).toContainEqual(expect.objectContaining({ code: 3, data: expect.stringMatching(/^0x08c379a0/) }))
  })

  it('shows an unknown method as it does directly', async () => {
    const ask = (transport: Transport): Promise<unknown> =>
      failure(createPublicClient({ transport }).request({ method: 'eth_noSuchMethod' as 'eth_chainId' }))
    // Over WebSocket anvil has another answer to this; the gateway asks it over HTTP.
    expect(await ask(through())).toEqual(await ask(http(node.networks.dev.httpUrl)))
  })
})

describe('viem over webSocket', () => {
  const client = (url: string): PublicClient<WebSocketTransport, Chain> =>
    createPublicClient({ chain: foundry, transport: webSocket(url) })

  it('watches blocks, logs and pending transactions as it does directly', async () => {
    const wallet = createWalletClient({ account, chain: foundry, transport: http(node.networks.dev.httpUrl) })
    const seen = { via: [] as unknown[][], direct: [] as unknown[][] }
    const errors: Error[] = []
    const onError = (error: Error): void => void errors.push(error)
    const stops: (() => void)[] = []
    for (const [side, url] of [
      ['via', wsUrl(gateway)],
      ['direct', node.networks.dev.wsUrl],
    ] as const) {
      const watcher = client(url)
      const [blocks, logs, pending]: unknown[][] = [[], [], []]
      seen[side] = [blocks!, logs!, pending!]
      stops.push(
        watcher.watchBlocks({ poll: false, onBlock: (block) => blocks!.push(block), onError }),
        watcher.watchContractEvent({
          poll: false,
          address: contract.address,
          abi,
          onLogs: (found) => logs!.push(...found),
          onError,
        }),
        watcher.watchPendingTransactions({
          poll: false,
          onTransactions: (hashes) => pending!.push(...hashes),
          onError,
        }),
      )
      // Answered after the three subscriptions, which went before on the same connection.
      await watcher.request({ method: 'eth_chainId' })
    }
    for (const value of [1n, 2n]) {
      await wallet.writeContract({ address: contract.address, abi, functionName: 'store', args: [value] })
      await until('both sides to have every push', () =>
        [...seen.via, ...seen.direct].every((list) => list.length === Number(value)),
      )
    }
    expect(seen.via).toEqual(seen.direct)
    expect(seen.via[1]).toMatchObject([{ args: { value: 1n } }, { args: { value: 2n } }])

    for (const stop of stops) stop()
    expect(errors).toEqual([])
  })

  it('ends a subscription', async () => {
    const { transport } = client(wsUrl(gateway))
    const { unsubscribe } = await transport.subscribe({ params: ['newHeads'], onData: () => {} })
    expect(await unsubscribe()).toMatchObject({ result: true })
    expect(await unsubscribe()).toMatchObject({ error: { code: -32000, message: 'subscription not found' } })
  })

  it('is told that a subscription does not exist', async () => {
    const face = await failure(
      client(wsUrl(gateway)).request({ method: 'eth_unsubscribe' as never, params: ['0x1234'] as never }),
    )
    expect(face).toContainEqual(expect.objectContaining({ code: -32000, details: 'subscription not found' }))
  })
})
