import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import {
  Contract,
  ContractFactory,
  Interface,
  JsonRpcProvider,
  type JsonRpcApiProvider,
  type Log,
  NonceManager,
  parseEther,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { alice, bob, deployDirectly, transact } from './support/chain.ts'
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

const providers: JsonRpcApiProvider[] = []

afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.destroy()
})

function overHttp(url: string): JsonRpcProvider {
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, polling: true, pollingInterval: 50 })
  providers.push(provider)
  return provider
}

function overWebSocket(url: string): WebSocketProvider {
  const provider = new WebSocketProvider(url, undefined, { cacheTimeout: -1 })
  providers.push(provider)
  return provider
}

/** Only what a provider has by itself; `info` holds the number of the call. */
function faceOf(thrown: unknown): object {
  const { name, code, shortMessage, reason, data, revert, action, error } = thrown as Record<string, unknown>
  return { name, code, shortMessage, reason, data, revert, action, error }
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('the call succeeded'),
    (thrown: unknown) => faceOf(thrown),
  )
}

const cases = [
  {
    provider: 'JsonRpcProvider',
    via: () => overHttp(httpUrl(gateway)),
    direct: () => overHttp(node.networks.dev.httpUrl),
  },
  {
    provider: 'WebSocketProvider',
    via: () => overWebSocket(wsUrl(gateway)),
    direct: () => overWebSocket(node.networks.dev.wsUrl),
  },
]

describe.each(cases)('ethers with a $provider', ({ via, direct }) => {
  it('reads what the node holds', async () => {
    const read = async (provider: JsonRpcApiProvider): Promise<object> => {
      const [network, block, number, balance, nonce, code, slot, logs, fees, transaction, receipt, missing] =
        await Promise.all([
          provider.getNetwork(),
          provider.getBlock('latest', true),
          provider.getBlockNumber(),
          provider.getBalance(alice.address),
          provider.getTransactionCount(alice.address),
          provider.getCode(contract.address),
          provider.getStorage(contract.address, 0),
          provider.getLogs({ address: contract.address, fromBlock: 0 }),
          provider.getFeeData(),
          provider.getTransaction(contract.storedIn),
          provider.getTransactionReceipt(contract.storedIn),
          provider.getTransaction(`0x${'12'.repeat(32)}`),
        ])
      return {
        network: network.toJSON(),
        block: block!.toJSON(),
        transactions: block!.prefetchedTransactions.map((each) => each.toJSON()),
        number,
        balance,
        nonce,
        code,
        slot,
        logs: logs.map((log) => log.toJSON()),
        fees: fees.toJSON(),
        transaction: transaction!.toJSON(),
        receipt: receipt!.toJSON(),
        missing,
      }
    }
    const answers = await read(via())
    expect(answers).toEqual(await read(direct()))
    expect(answers).toMatchObject({ code: runtimeCode, slot: `0x${'2a'.padStart(64, '0')}`, missing: null })
  })

  it('sends a transaction, waits for the receipt that the node has, deploys and calls', async () => {
    const provider = via()
    const wallet = new NonceManager(new Wallet(bob.privateKey, provider))
    const sent = await wallet.sendTransaction({ to: alice.address, value: parseEther('0.5') })
    const receipt = await sent.wait()
    expect(receipt!.status).toBe(1)
    expect(receipt!.toJSON()).toEqual((await direct().getTransactionReceipt(sent.hash))!.toJSON())

    const deployed = await new ContractFactory(new Interface(abi), initCode, wallet).deploy()
    await deployed.waitForDeployment()
    const store = await deployed.getFunction('store')(7n)
    const stored = await store.wait()
    expect(await deployed.getFunction('value')()).toBe(7n)
    expect((stored.logs as Log[]).map((log) => deployed.interface.parseLog(log)?.args.toArray())).toEqual([
      [bob.address, 7n],
    ])
  })

  it('decodes the reason of a revert as it does directly', async () => {
    const fail = (provider: JsonRpcApiProvider): Promise<unknown> =>
      failure(new Contract(contract.address, new Interface(abi), provider).getFunction('fail').staticCall())
    const face = await fail(via())
    expect(face).toEqual(await fail(direct()))
    expect(face).toMatchObject({ code: 'CALL_EXCEPTION', reason: revertReason })
  })

  it('gets code 3 and the data of a revert from eth_estimateGas', async () => {
    const call = { from: bob.address, to: contract.address, data: '0xa9cc4718' }
    const face = await failure(via().estimateGas(call))
    expect(face).toEqual(await failure(direct().estimateGas(call)))
    expect(face).toMatchObject({
      code: 'CALL_EXCEPTION',
      reason: revertReason,
      data: expect.stringMatching(/^0x08c379a0/),
    })
    const plain = await failure(via().send('eth_estimateGas', [call]))
    expect(plain).toEqual(await failure(direct().send('eth_estimateGas', [call])))
  })
})

describe('ethers', () => {
  it('sends its calls in batches, and gets each answer', async () => {
    const provider = overHttp(httpUrl(gateway))
    const sizes: number[] = []
    await provider.on('debug', ({ action, payload }: { action: string; payload: unknown }) => {
      if (action === 'sendRpcPayload') sizes.push(Array.isArray(payload) ? payload.length : 0)
    })
    const addresses = Array.from({ length: 30 }, (_, i) => `0xc0ffee${(i + 1).toString(16).padStart(34, '0')}`)
    for (const [i, address] of addresses.entries()) {
      await transact(node.networks.dev.httpUrl, { to: address, value: `0x${(i + 1).toString(16)}` })
    }
    const height: unknown = await overHttp(node.networks.dev.httpUrl).send('eth_blockNumber', [])
    await expect.poll(() => provider.send('eth_blockNumber', []) as Promise<unknown>).toBe(height)
    const balances = await Promise.all(addresses.map((address) => provider.getBalance(address)))
    expect(balances).toEqual(addresses.map((_, i) => BigInt(i + 1)))
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(30)
  })

  it('hears of blocks, logs and pending transactions over WebSocket as it does directly', async () => {
    const sides = [overWebSocket(wsUrl(gateway)), overWebSocket(node.networks.dev.wsUrl)].map((provider) => ({
      provider,
      blocks: [] as number[],
      logs: [] as object[],
      pending: [] as string[],
    }))
    for (const { provider, blocks, logs, pending } of sides) {
      await provider.on('block', (number: number) => blocks.push(number))
      await provider.on({ address: contract.address }, (log: Log) => logs.push(log.toJSON()))
      await provider.on('pending', (hash: string) => pending.push(hash))
      await provider.getNetwork()
      // Answered after the subscriptions, which went before on the same connection, since a node is asked.
      await provider.send('eth_getTransactionCount', [alice.address, 'pending'])
    }
    const value = (n: number): string => `0x6057361d${n.toString(16).padStart(64, '0')}`
    for (const n of [1, 2]) {
      await transact(node.networks.dev.httpUrl, { to: contract.address, data: value(n) })
      await until('both sides to have every push', () =>
        sides.every(({ blocks, logs, pending }) => [blocks, logs, pending].every((list) => list.length === n)),
      )
    }
    const [via, direct] = sides.map(({ blocks, logs, pending }) => ({ blocks, logs, pending }))
    expect(via).toEqual(direct)
    expect(via!.blocks[1]).toBe(via!.blocks[0]! + 1)
  })

  it('ends a subscription over WebSocket', async () => {
    const provider = overWebSocket(wsUrl(gateway))
    const id = await provider.send('eth_subscribe', ['newHeads'])
    expect(await provider.send('eth_unsubscribe', [id])).toBe(true)
  })
})
