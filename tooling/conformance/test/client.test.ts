import { type Client, type ClientOptions, createClient } from '@wayleave/client'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { RpcError } from '@wayleave/jsonrpc-core'
import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { alice, bob, deployDirectly, transact } from './support/chain.ts'
import { key, secret, startDevGateway, startGatewayBefore } from './support/gateway.ts'
import { ask } from './support/http.ts'
import { deadUrl, hang, startPeer } from './support/peer.ts'
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

const clients: Client[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

function open(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url: gateway.rpc, apiKey: key, ...options })
  clients.push(client)
  return client
}

/** Through the gateway, and at the node itself. */
const sides = (): readonly Client[] => [open(), createClient({ url: node.networks.dev.httpUrl })]

describe('@wayleave/client', () => {
  it('has the seven methods of the specification, with the answers of the node', async () => {
    const block = (await ask(node.networks.dev.httpUrl, 'eth_getBlockByNumber', ['latest', false])) as { hash: string }
    const [through, direct] = await Promise.all(
      sides().map(async ({ eth }) => ({
        storage: await eth.getStorageAt([contract.address, '0x0', 'latest']),
        uncle: await eth.getUncleByBlockNumberAndIndex(['latest', '0x0']),
        byIndex: await eth.getTransactionByBlockHashAndIndex([block.hash as `0x${string}`, '0x0']),
        byHash: await eth.getTransactionByHash([contract.storedIn]),
        missing: await eth.getTransactionByHash([`0x${'12'.repeat(32)}`]),
        receipts: await eth.getBlockReceipts(['latest']),
        gas: await eth.estimateGas([
          { from: bob.address as `0x${string}`, to: alice.address as `0x${string}`, value: '0x1' },
        ]),
      })),
    )
    expect(through).toEqual(direct)
    expect(through).toMatchObject({
      storage: `0x${'2a'.padStart(64, '0')}`,
      uncle: null,
      byIndex: { hash: contract.storedIn },
      byHash: { hash: contract.storedIn },
      missing: null,
      receipts: [{ transactionHash: contract.storedIn, status: '0x1' }],
      gas: '0x5208',
    })
    const info = await open({ network: 'rollup-dev' }).rollup.getInfo()
    expect(info).toEqual(await ask(`${gateway.rpc}/rollup-dev/v3/${key}`, 'rollup_getInfo'))
    expect(info).toMatchObject({ mode: 'sequencer', syncing: false })
  })

  it('calls any method of its table, and any other unchecked', async () => {
    const client = open({ apiKeySecret: secret })
    expect(await client.request('eth_chainId', [])).toBe('0x7a69')
    expect(await client.requestUnchecked('web3_clientVersion')).toMatch(/^anvil/)
  })

  it('rejects with the error of the node, data included', async () => {
    const call = { from: bob.address as `0x${string}`, to: contract.address, data: '0xa9cc4718' } as const
    const errors = await Promise.all(
      sides().map(({ eth }) =>
        eth.estimateGas([call]).then(
          () => expect.unreachable(),
          (thrown: RpcError) => thrown,
        ),
      ),
    )
    const [through, direct] = errors.map(({ name, code, message, rpc }) => ({ name, code, message, rpc: plain(rpc) }))
    expect(through).toEqual(direct)
    expect(through).toMatchObject({ code: 'rpc', rpc: { code: 3, data: expect.stringMatching(/^0x08c379a0/) } })
  })

  it('subscribes to heads, logs and pending transactions until it unsubscribes', async () => {
    const client = open()
    const heads: unknown[] = []
    const logs: unknown[] = []
    const pending: unknown[] = []
    const ends: unknown[] = []
    const follow = (list: unknown[]) => ({
      onEvent: (event: unknown) => void list.push(event),
      onEnd: (why: unknown) => void ends.push(why),
    })
    const subscriptions = [
      await client.subscribe(['newHeads'], follow(heads)),
      await client.subscribe(['logs', { address: contract.address }], follow(logs)),
      await client.subscribe(['newPendingTransactions'], follow(pending)),
    ]
    const data = `0x6057361d${'5'.padStart(64, '0')}`
    const receipt = await transact(node.networks.dev.httpUrl, { to: contract.address, data })
    await until('each push', () => [heads, logs, pending].every((list) => list.length === 1))
    expect(heads).toMatchObject([{ hash: receipt['blockHash'] }])
    expect(logs).toEqual(receipt['logs'])
    expect(pending).toEqual([receipt['transactionHash']])
    for (const subscription of subscriptions) subscription.unsubscribe()
    expect(ends).toEqual([undefined, undefined, undefined])
  })

  it('that does not resubscribe tells a subscriber that the gateway has gone', async () => {
    await using own = await startDevGateway(node)
    const client = open({ url: own.rpc, resubscribe: false })
    const ends: (RpcError | undefined)[] = []
    await client.subscribe(['newHeads'], { onEvent() {}, onEnd: (why) => void ends.push(why) })
    await own.close()
    await until('the end', () => ends.length === 1)
    expect(ends[0]).toMatchObject({ name: 'RpcError', code: 'disconnected' })
  })

  it.each([
    { what: 'a wrong key', options: { apiKey: 'nobody' }, error: { code: 'http_status', httpStatus: 401 } },
    { what: 'a wrong secret', options: { apiKeySecret: 'wrong' }, error: { code: 'http_status', httpStatus: 401 } },
    {
      what: 'an unknown network',
      options: { network: 'nowhere' },
      error: { code: 'http_status', httpStatus: 404, rpc: { code: -32002 } },
    },
  ])('rejects for $what, and names no key', async ({ options, error }) => {
    const client = open(options)
    const thrown = await client.request('eth_chainId', []).then(
      () => expect.unreachable(),
      (why: RpcError) => why,
    )
    expect(thrown).toBeInstanceOf(RpcError)
    expect(thrown).toMatchObject(error)
    expect(thrown.stack).not.toContain(key)
    await expect(client.subscribe(['newHeads'], { onEvent() {} })).rejects.toMatchObject({
      name: 'RpcError',
      code: 'connect',
    })
  })

  it('refuses params that the method does not take, before they are sent', async () => {
    const thrown = await open()
      .request('eth_getBalance', ['0x12', 'latest'])
      .catch((why: unknown) => why)
    expect(thrown).toBeInstanceOf(SchemaError)
  })

  it('rejects as an outage where no upstream answers, and as a timeout where it waits no longer', async () => {
    await using dead = await startGatewayBefore([await deadUrl()])
    await expect(open({ url: dead.rpc }).request('eth_chainId', [])).rejects.toMatchObject({
      code: 'http_status',
      httpStatus: 502,
      rpc: { code: -32603 },
    })
    await using peer = await startPeer(hang)
    await using slow = await startGatewayBefore([peer.httpUrl])
    await expect(open({ url: slow.rpc, timeoutMs: 100 }).request('eth_chainId', [])).rejects.toMatchObject({
      code: 'timeout',
    })
  })
})

function plain(error: RpcError['rpc']): object {
  const { code, message, data } = error!
  return { code, message, data }
}
