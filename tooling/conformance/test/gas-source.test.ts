import { type AnvilProcess, devAccounts, startAnvil } from '@wayleave/dev-node'
import { createFeeSource, createGasApi, type FeeAnswer, type FeeSource, gweiFromWei } from '@wayleave/gas-fees'
import { createHttpTransport, createRpcClient, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { until } from './support/wait.ts'

let anvil: AnvilProcess
beforeAll(async () => {
  anvil = await startAnvil({ name: 'gas', chainId: 31_337 })
}, 120_000)
afterAll(() => anvil?.close())

const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }

/** One handler for each way to hear of heads. */
const ways: Readonly<Record<string, () => RpcHandler>> = {
  pushed(): RpcHandler {
    const transport = createWebSocketTransport({ url: anvil.wsUrl, subscriptions })
    onTestFinished(() => transport.close())
    return transport.handler
  },
  polled: () => createHttpTransport({ url: anvil.httpUrl }),
}

function follow(handler: RpcHandler): FeeSource {
  const source = createFeeSource({ handler, blocksOnDemand: true })
  onTestFinished(() => source.close())
  return source
}

async function answerOf(source: FeeSource): Promise<FeeAnswer> {
  const reading = await source.current()
  if (reading.state !== 'ready') throw new Error(`expected an answer, got: ${reading.reason}`)
  return reading.answer
}

async function call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
  return createRpcClient(createHttpTransport({ url: anvil.httpUrl })).requestUnchecked<T>(method, params)
}

/** One block with one transaction. Anvil answers before it has mined. */
async function mine(): Promise<void> {
  const [from, to] = devAccounts.map(({ address }) => address)
  const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x77359400' }
  const hash = await call<string>('eth_sendTransaction', [{ from, to, value: '0x1', ...fees }])
  for (let i = 0; i < 1_000; i++) {
    if ((await call('eth_getTransactionReceipt', [hash])) !== null) return
  }
  throw new Error('expected the transaction to be mined')
}

/** Waits until the source is at the chain's head, and compares. */
async function expectAtHead(source: FeeSource): Promise<void> {
  const head = await call<{ readonly number: string; readonly hash: string }>('eth_getBlockByNumber', ['latest', false])
  const isReached = (): boolean => {
    const reading = source.current()
    return 'state' in reading && reading.state === 'ready' && reading.answer.blockHash === head.hash
  }
  await until(`the answer after block ${Number(head.number)}`, isReached)
  const { fees, history } = await answerOf(source)
  const reported = await call<{ readonly baseFeePerGas: readonly string[] }>('eth_feeHistory', ['0x400', 'latest', []])
  const baseFees = reported.baseFeePerGas.map(BigInt)
  expect(fees.estimatedBaseFee).toBe(gweiFromWei(baseFees.at(-1)!))
  expect(history.blocks.map(({ baseFeePerGas }) => baseFeePerGas)).toEqual(baseFees.slice(0, -1).slice(-500))
}

describe.each(Object.keys(ways))('a source on a real chain whose heads are %s', (way) => {
  it('moves with the base fee, block for block', async () => {
    const source = follow(ways[way]!())
    await expectAtHead(source)
    const reported: number[] = []
    const first = (await answerOf(source)).blockNumber
    source.watch(({ blockNumber }) => reported.push(blockNumber))
    const estimates = new Set<string>()
    for (let i = 0; i < 6; i++) {
      if (i === 3) await call('anvil_setNextBlockBaseFeePerGas', ['0x2540be400'])
      await mine()
      await expectAtHead(source)
      estimates.add((await answerOf(source)).fees.estimatedBaseFee)
    }
    expect(estimates.size).toBe(6)
    expect(reported.at(-1)).toBeGreaterThanOrEqual(first + 6)
  }, 120_000)

  it('follows a chain that goes back and takes another way', async () => {
    const source = follow(ways[way]!())
    await mine()
    const snapshot = await call<string>('evm_snapshot')
    for (let i = 0; i < 3; i++) {
      await mine()
    }
    await expectAtHead(source)
    await call('evm_revert', [snapshot])
    await expectAtHead(source)
    await call('anvil_setNextBlockBaseFeePerGas', ['0x4a817c800'])
    for (let i = 0; i < 2; i++) {
      await mine()
    }
    await expectAtHead(source)
  }, 120_000)
})

it('a source gives its last answer for a while after its node has died, and then none', async () => {
  const own = await startAnvil({ name: 'gas-dying', chainId: 31_337 })
  onTestFinished(() => own.close())
  const handler = createHttpTransport({ url: own.httpUrl })
  let ahead = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead }
  const source = createFeeSource({ handler, blocksOnDemand: true, maxAgeMs: 60_000, clock })
  onTestFinished(() => source.close())
  const api = createGasApi({ source: () => source, names: {} })
  const get = async (): Promise<number> =>
    (await api({ method: 'GET', path: '/networks/31337/suggestedGasFees', headers: {} })).status
  expect(await get()).toBe(200)
  await own.close()
  expect(await get()).toBe(200)
  ahead = 120_000
  await expect.poll(get).toBe(503)
}, 120_000)
