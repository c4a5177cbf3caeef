// viem and ethers over our transports, against a chain, beside their own transports.
import { type AddressInfo, createServer } from 'node:net'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { createHttpTransport, type RpcTransport } from '@wayleave/jsonrpc-core'
import { createEthersProvider, createProvider, type Provider } from '@wayleave/jsonrpc-core/adapters'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import {
  BrowserProvider,
  Contract,
  ContractFactory,
  Interface,
  JsonRpcApiProvider,
  JsonRpcProvider,
  NonceManager,
  parseEther,
  Wallet,
} from 'ethers'
import { createPublicClient, createWalletClient, custom, http, type PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alice, bob, deployDirectly, transact } from './support/chain.ts'
import { abi, initCode, revertReason, runtimeCode } from './support/contract.ts'
import { until } from './support/wait.ts'

let node: DevNode
let contract: Awaited<ReturnType<typeof deployDirectly>>
let socket: RpcTransport

const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }
const aliceAddress = alice.address as `0x${string}`
const account = privateKeyToAccount(bob.privateKey as `0x${string}`)
const iface = new Interface(abi)

beforeAll(async () => {
  node = await startDevNode()
  contract = await deployDirectly(node.networks.dev.httpUrl)
  socket = createWebSocketTransport({ url: node.networks.dev.wsUrl, subscriptions })
})

afterAll(async () => {
  await socket.close()
  await node.close()
})

const handlers = {
  HTTP: () => createHttpTransport({ url: node.networks.dev.httpUrl }),
  WebSocket: () => socket.handler,
}

function provider(transport: keyof typeof handlers): Provider {
  return createProvider(handlers[transport](), { subscriptions, chainIdMethod: 'eth_chainId' })
}

/** Of a port that nobody listens on. */
async function closedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => void server.close(resolve))
  return `http://127.0.0.1:${port}`
}

async function failure(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => expect.unreachable('the call succeeded'),
    (thrown: unknown) => thrown as Record<string, unknown>,
  )
}

describe.each(['HTTP', 'WebSocket'] as const)('viem with custom() over %s', (transport) => {
  const clients = (): { ours: PublicClient; direct: PublicClient } => ({
    ours: createPublicClient({ chain: foundry, transport: custom(provider(transport)), pollingInterval: 50 }),
    direct: createPublicClient({ chain: foundry, transport: http(node.networks.dev.httpUrl), pollingInterval: 50 }),
  })

  it('reads what its own transport reads', async () => {
    const read = (client: PublicClient): Promise<unknown[]> =>
      Promise.all([
        client.getChainId(),
        client.getBlock({ includeTransactions: true }),
        client.getBalance({ address: aliceAddress }),
        client.getTransactionCount({ address: aliceAddress }),
        client.getCode({ address: contract.address }),
        client.getTransaction({ hash: contract.storedIn }),
        client.getTransactionReceipt({ hash: contract.storedIn }),
        client.getContractEvents({ address: contract.address, abi, eventName: 'Stored', fromBlock: 0n }),
        client.readContract({ address: contract.address, abi, functionName: 'value' }),
      ])
    const { ours, direct } = clients()
    const answers = await read(ours)
    expect(answers).toEqual(await read(direct))
    expect(answers).toMatchObject([
      31337,
      {},
      {},
      {},
      runtimeCode,
      {},
      { status: 'success' },
      [{ args: { value: 42n } }],
      42n,
    ])
  })

  it('sends a transaction, deploys and calls', async () => {
    const { ours, direct } = clients()
    const wallet = createWalletClient({ account, chain: foundry, transport: custom(provider(transport)) })
    const hash = await wallet.sendTransaction({ to: aliceAddress, value: 1n })
    const receipt = await ours.waitForTransactionReceipt({ hash })
    expect(receipt).toEqual(await direct.getTransactionReceipt({ hash }))
    const deployed = await ours.waitForTransactionReceipt({
      hash: await wallet.deployContract({ abi, bytecode: initCode }),
    })
    const address = deployed.contractAddress!
    expect(await direct.getCode({ address })).toBe(runtimeCode)
    const stored = await wallet.writeContract({ address, abi, functionName: 'store', args: [7n] })
    await ours.waitForTransactionReceipt({ hash: stored })
    expect(await ours.readContract({ address, abi, functionName: 'value' })).toBe(7n)
  })

  it('decodes the reason of a revert as with its own transport', async () => {
    const fail = async (client: PublicClient): Promise<unknown> => {
      const faces: unknown[] = []
      const call = { address: contract.address, abi, functionName: 'fail', account: account.address } as const
      for (
        let error: unknown = await failure(client.simulateContract(call));
        error instanceof Error;
        error = error.cause
      ) {
        const { name, reason, raw, data } = error as unknown as Record<string, unknown>
        // Beneath viem's own errors the transports differ.
        if (reason !== undefined) faces.push({ name, reason, raw, data })
      }
      return faces
    }
    const { ours, direct } = clients()
    const faces = await fail(ours)
    expect(faces).toEqual(await fail(direct))
    expect(faces).toMatchObject([{ name: 'ContractFunctionRevertedError', reason: revertReason }])
  })
})

describe('viem with custom()', () => {
  it('knows an unknown method, and a node that is gone', async () => {
    // Over WebSocket anvil has another answer to this.
    const ours = createPublicClient({ transport: custom(provider('HTTP')) })
    const unknown = await failure(ours.request({ method: 'eth_noSuchMethod' as 'eth_chainId' }))
    expect(unknown).toMatchObject({ name: 'MethodNotFoundRpcError', code: -32601 })
    const dead = createProvider(createHttpTransport({ url: `${await closedUrl()}/SECRET-KEY` }))
    const gone = await failure(createPublicClient({ transport: custom(dead) }).getChainId())
    expect(gone).toMatchObject({ name: 'ProviderDisconnectedError', code: 4900 })
    expect(`${String(gone)} ${String(gone['stack'])}`).not.toContain('SECRET-KEY')
  })
})

describe('a provider over WebSocket', () => {
  it('pushes what the chain does as messages', async () => {
    const ours = provider('WebSocket')
    const heads: unknown[] = []
    ours.on('message', ({ type, data }) => heads.push([type, data]))
    const subscription = await ours.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const { blockNumber } = await transact(node.networks.dev.httpUrl, { to: bob.address, value: '0x1' })
    await until('a push', () => heads.length > 0)
    expect(heads[0]).toMatchObject(['eth_subscription', { subscription, result: { number: blockNumber } }])
    expect(await ours.request({ method: 'eth_unsubscribe', params: [subscription] })).toBe(true)
    ours.close()
  })
})

const fast = { cacheTimeout: -1, pollingInterval: 50 }
const makers = {
  'createEthersProvider over HTTP': () =>
    createEthersProvider(JsonRpcApiProvider, handlers.HTTP(), { options: { ...fast, polling: true } }),
  'createEthersProvider over WebSocket': () =>
    createEthersProvider(JsonRpcApiProvider, handlers.WebSocket(), { options: { ...fast, polling: true } }),
  'BrowserProvider over HTTP': () => new BrowserProvider(provider('HTTP'), undefined, { ...fast, polling: true }),
}

describe.each(Object.keys(makers) as (keyof typeof makers)[])('ethers with %s', (name) => {
  const made: JsonRpcApiProvider[] = []
  const ours = (): JsonRpcApiProvider => {
    const each: JsonRpcApiProvider = makers[name]()
    made.push(each)
    return each
  }
  const direct = (): JsonRpcApiProvider => {
    const each = new JsonRpcProvider(node.networks.dev.httpUrl, undefined, { ...fast, polling: true })
    made.push(each)
    return each
  }
  afterAll(() => {
    for (const each of made) each.destroy()
  })

  it('reads what its own provider reads', async () => {
    const read = async (each: JsonRpcApiProvider): Promise<unknown[]> => {
      const [network, block, balance, nonce, code, logs, receipt] = await Promise.all([
        each.getNetwork(),
        each.getBlock('latest', true),
        each.getBalance(alice.address),
        each.getTransactionCount(alice.address),
        each.getCode(contract.address),
        each.getLogs({ address: contract.address, fromBlock: 0 }),
        each.getTransactionReceipt(contract.storedIn),
      ])
      return [
        network.toJSON(),
        block!.toJSON(),
        balance,
        nonce,
        code,
        logs.map((log) => log.toJSON()),
        receipt!.toJSON(),
      ]
    }
    const answers = await read(ours())
    expect(answers).toEqual(await read(direct()))
    expect(answers[4]).toBe(runtimeCode)
  })

  it('sends a transaction, deploys and calls', async () => {
    const wallet = new NonceManager(new Wallet(bob.privateKey, ours()))
    const sent = await wallet.sendTransaction({ to: alice.address, value: parseEther('0.5') })
    const receipt = await sent.wait()
    expect(receipt!.toJSON()).toEqual((await direct().getTransactionReceipt(sent.hash))!.toJSON())
    const deployed = await new ContractFactory(iface, initCode, wallet).deploy()
    await deployed.waitForDeployment()
    const stored = await deployed.getFunction('store')(7n)
    await stored.wait()
    expect(await deployed.getFunction('value')()).toBe(7n)
  })

  it('decodes the reason of a revert as with its own provider', async () => {
    const faceOf = ({ code, shortMessage, reason, data, revert, action }: Record<string, unknown>): object => ({
      code,
      shortMessage,
      reason,
      data,
      revert,
      action,
    })
    const call = { from: bob.address, to: contract.address, data: '0xa9cc4718' }
    for (const fail of [
      (each: JsonRpcApiProvider) => new Contract(contract.address, iface, each).getFunction('fail').staticCall(),
      (each: JsonRpcApiProvider) => each.estimateGas(call),
    ]) {
      const face = faceOf(await failure(fail(ours())))
      expect(face).toEqual(faceOf(await failure(fail(direct()))))
      expect(face).toMatchObject({ code: 'CALL_EXCEPTION', reason: revertReason })
    }
  })

  it('answers many calls at once, each with its own', async () => {
    const each = ours()
    const slots = Array.from({ length: 20 }, (_, i) => i)
    const values = await Promise.all(slots.map((slot) => each.getStorage(contract.address, slot)))
    expect(values.map(BigInt)).toEqual(slots.map((slot) => (slot === 0 ? 42n : 0n)))
  })
})

describe('createEthersProvider', () => {
  it('rejects with the RpcError where no node answers, and not as a reverted call', async () => {
    const dead = createEthersProvider(JsonRpcApiProvider, createHttpTransport({ url: await closedUrl() }), {
      network: 31337,
      options: { staticNetwork: true },
    })
    const call = dead.call({ to: contract.address })
    expect(await failure(call)).toMatchObject({ name: 'RpcError', code: 'connect', delivery: 'not_sent' })
    dead.destroy()
  })
})
