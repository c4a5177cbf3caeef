import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Web3, WebSocketProvider } from 'web3'
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

/** Members of a block that its hash does not cover by themselves. */
const beyondHeader = new Set(['size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals'])

const sockets: WebSocketProvider[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect()
})

function overWebSocket(url: string): Web3 {
  const socket = new WebSocketProvider(url)
  sockets.push(socket)
  return new Web3(socket)
}

/** Bob signs by himself: the node is asked for nothing but the raw transaction. */
function withBob(web3: Web3): Web3 {
  web3.eth.accounts.wallet.add(bob.privateKey)
  return web3
}

/** An error and what it names as its reason. Left out: stacks, and web3's own number of the call. */
function faceOf(thrown: unknown): unknown {
  const faces: unknown[] = []
  for (let error = thrown; typeof error === 'object' && error !== null;) {
    const { name, code, message, data, reason, receipt, innerError, cause } = error as Record<string, unknown>
    faces.push({ name, code, message, data: Array.isArray(data) ? undefined : data, reason, receipt })
    error = innerError ?? cause
  }
  return faces
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('the call succeeded'),
    (thrown: unknown) => faceOf(thrown),
  )
}

const cases = [
  {
    transport: 'HTTP',
    via: () => new Web3(httpUrl(gateway)),
    direct: () => new Web3(node.networks.dev.httpUrl),
  },
  {
    transport: 'WebSocket',
    via: () => overWebSocket(wsUrl(gateway)),
    direct: () => overWebSocket(node.networks.dev.wsUrl),
  },
]

describe.each(cases)('web3 over $transport', ({ via, direct }) => {
  it('reads what the node holds', async () => {
    const read = async ({ eth }: Web3): Promise<object> => ({
      chainId: await eth.getChainId(),
      network: await eth.net.getId(),
      number: await eth.getBlockNumber(),
      block: await eth.getBlock('latest', true),
      earliest: await eth.getBlock('earliest'),
      balance: await eth.getBalance(alice.address),
      nonce: await eth.getTransactionCount(alice.address),
      code: await eth.getCode(contract.address),
      slot: await eth.getStorageAt(contract.address, 0),
      logs: await eth.getPastLogs({ address: contract.address, fromBlock: 'earliest' }),
      gasPrice: await eth.getGasPrice(),
      fees: await eth.getFeeHistory(2, 'latest', [50]),
      transaction: await eth.getTransaction(contract.storedIn),
      receipt: await eth.getTransactionReceipt(contract.storedIn),
      byIndex: await eth.getTransactionFromBlock('latest', 0),
      uncle: await eth.getUncle('latest', 0),
      proof: await eth.getProof(contract.address, [`0x${'0'.repeat(64)}`], 'latest'),
      value: await new eth.Contract(abi, contract.address).methods['value']!().call(),
      missing: await failure(eth.getTransaction(`0x${'12'.repeat(32)}`)),
    })
    const answers = await read(via())
    expect(answers).toEqual(await read(direct()))
    expect(answers).toMatchObject({
      chainId: 31337n,
      code: runtimeCode,
      value: 42n,
      logs: [{ address: contract.address }],
    })
  })

  it('sends a transaction and has the receipt that the node has', async () => {
    const web3 = withBob(via())
    const sent = await web3.eth.sendTransaction({ from: bob.address, to: alice.address, value: '5' })
    expect(sent.status).toBe(1n)
    const plain = direct()
    const [through, straight] = await Promise.all(
      [web3, plain].map(({ eth }) => eth.getTransactionReceipt(sent.transactionHash)),
    )
    expect(through).toEqual(straight)
    expect(await web3.eth.getTransaction(sent.transactionHash)).toEqual(
      await plain.eth.getTransaction(sent.transactionHash),
    )
  })

  it('deploys a contract, calls it and reads its log', async () => {
    const web3 = withBob(via())
    const deployed = await new web3.eth.Contract(abi).deploy({ data: initCode }).send({ from: bob.address })
    const address = deployed.options.address!
    const plain = direct()
    expect(await plain.eth.getCode(address)).toBe(runtimeCode)
    await deployed.methods['store']!(7).send({ from: bob.address })
    expect(await deployed.methods['value']!().call()).toBe(7n)
    const events = await deployed.getPastEvents('Stored' as never, { fromBlock: 'earliest' })
    expect(events).toMatchObject([{ returnValues: { by: bob.address, value: 7n } }])
    const filter = { fromBlock: 'earliest' } as const
    expect(events).toEqual(await new plain.eth.Contract(abi, address).getPastEvents('Stored' as never, filter))
  })

  it('estimates gas as it does directly', async () => {
    const estimate = ({ eth }: Web3): Promise<unknown[]> =>
      Promise.all([
        eth.estimateGas({ from: bob.address, to: alice.address, value: '1' }),
        new eth.Contract(abi, contract.address).methods['store']!(9).estimateGas({ from: bob.address }),
        new eth.Contract(abi).deploy({ data: initCode }).estimateGas({ from: bob.address }),
      ])
    const estimates = await estimate(via())
    expect(estimates).toEqual(await estimate(direct()))
    expect(estimates[0]).toBe(21_000n)
  })

  it('tells a revert as it does directly, from a call, an estimate and a transaction', async () => {
    const fail = async (web3: Web3): Promise<unknown[]> => {
      const { eth } = withBob(web3)
      const method = new eth.Contract(abi, contract.address).methods['fail']!()
      return [
        await failure(method.call({ from: bob.address })),
        await failure(method.estimateGas({ from: bob.address })),
        await failure(Promise.resolve(method.send({ from: bob.address }))),
      ]
    }
    const faces = await fail(via())
    expect(faces).toEqual(await fail(direct()))
    expect(JSON.stringify(faces[0])).toContain(revertReason)
  })

  it('sends calls in a batch, and gets each answer', async () => {
    const ask = async (web3: Web3): Promise<unknown[]> => {
      const batch = new web3.BatchRequest()
      const answers = [
        batch.add({ method: 'eth_getBalance', params: [alice.address, 'latest'] }),
        batch.add({ method: 'eth_getCode', params: [contract.address, 'latest'] }),
        batch.add({ method: 'eth_blockNumber', params: [] }),
      ]
      await batch.execute()
      return Promise.all(answers)
    }
    const answers = await ask(via())
    expect(answers).toEqual(await ask(direct()))
    expect(answers[1]).toBe(runtimeCode)
  })
})

describe('web3 over WebSocket', () => {
  it('hears of heads, logs and pending transactions as it does directly', async () => {
    const sides = [overWebSocket(wsUrl(gateway)), overWebSocket(node.networks.dev.wsUrl)].map((web3) => ({
      web3,
      heads: [] as unknown[],
      logs: [] as unknown[],
      pending: [] as unknown[],
      failures: [] as unknown[],
    }))
    for (const { web3, heads, logs, pending, failures } of sides) {
      const subscriptions = [
        [await web3.eth.subscribe('newBlockHeaders'), heads],
        [await web3.eth.subscribe('logs', { address: contract.address }), logs],
        [await web3.eth.subscribe('newPendingTransactions'), pending],
      ] as const
      for (const [subscription, list] of subscriptions) {
        subscription.on('data', (event: unknown) => void list.push(event))
        subscription.on('error', (why: unknown) => void failures.push(why))
      }
    }
    for (const n of [1, 2]) {
      const data = `0x6057361d${n.toString(16).padStart(64, '0')}`
      await transact(node.networks.dev.httpUrl, { to: contract.address, data })
      await until('both sides to have every push', () =>
        sides.every(({ heads, logs, pending }) => [heads, logs, pending].every((list) => list.length === n)),
      )
    }
    const [via, direct] = sides.map(({ heads, logs, pending, failures }) => ({ heads, logs, pending, failures }))
    // A head is pushed as geth pushes it: its header. anvil pushes the block.
    const members = direct!.heads.map((head) => Object.entries(head as object))
    const headers = members.map((head) => Object.fromEntries(head.filter(([name]) => !beyondHeader.has(name))))
    expect(via).toEqual({ ...direct, heads: headers })
    expect(via).toMatchObject({ logs: [{ address: contract.address }, { address: contract.address }], failures: [] })
  })

  it('hears of the events of a contract, until it unsubscribes', async () => {
    const web3 = overWebSocket(wsUrl(gateway))
    const events: unknown[] = []
    const subscription = new web3.eth.Contract(abi, contract.address).events['Stored']!()
    subscription.on('data', (event: unknown) => void events.push(event))
    const heads: unknown[] = []
    const all = await web3.eth.subscribe('newBlockHeaders')
    all.on('data', (head: unknown) => void heads.push(head))
    const data = `0x6057361d${'3'.padStart(64, '0')}`
    await transact(node.networks.dev.httpUrl, { to: contract.address, data })
    await until('the event and its head', () => events.length === 1 && heads.length === 1)
    expect(events).toMatchObject([{ event: 'Stored', returnValues: { value: 3n } }])

    await subscription.unsubscribe()
    await transact(node.networks.dev.httpUrl, { to: contract.address, data })
    await until('the next head', () => heads.length === 2)
    expect(events).toHaveLength(1)
  })
})
