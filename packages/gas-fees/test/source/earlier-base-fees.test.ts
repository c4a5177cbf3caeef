import { createFeeSource, createMemoryFeeStore, type FeeSource, type FeeSourceOptions } from '@wayleave/gas-fees'
import { RpcError } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

function sourceOf(chain: SimulatedChain, options: Partial<FeeSourceOptions> = {}): FeeSource {
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock, blocksOnDemand: true, ...options })
  onTestFinished(() => source.close())
  return source
}

async function feesOf(source: FeeSource) {
  const reading = await source.current()
  if (reading.state !== 'ready') throw new Error(`expected an answer, got ${JSON.stringify(reading)}`)
  return reading.answer.fees
}

async function pass(chain: SimulatedChain, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    chain.clock.advance(1_000)
    await settle()
  }
}

function feeCalls(chain: SimulatedChain): number {
  return chain.calls.filter((method) => method === 'eth_feeHistory').length
}

/** The share of the 20,000 blocks before the head with a lower base fee. */
function congestionOf({ blocks, head }: SimulatedChain): number {
  const earlier = blocks.slice(-20_001, -1)
  return earlier.filter(({ baseFee }) => baseFee < head.baseFee).length / earlier.length
}

/** A long chain that has seen dearer times: half of its blocks cost more than the newest. */
function longChain(): SimulatedChain {
  const chain = new SimulatedChain({ blocks: 25_000 })
  chain.blocks = chain.blocks.map((block, i) => (i % 2 === 0 ? { ...block, baseFee: 5_000_000_000n } : block))
  return chain
}

it('fetches 20,000 earlier base fees, a page a second, and then compares with all of them', async () => {
  const chain = longChain()
  const source = sourceOf(chain)
  const first = await feesOf(source)
  expect(first.wayleave).toEqual({ congestionBlocks: 499 })
  await pass(chain, 10)
  expect(feeCalls(chain)).toBe(11)
  expect((await feesOf(source)).wayleave).toEqual({ congestionBlocks: 499 + 10 * 1_024 })
  await pass(chain, 20)
  expect(feeCalls(chain)).toBe(1 + Math.ceil(19_501 / 1_024))
  const whole = await feesOf(source)
  expect(whole.wayleave).toBeUndefined()
  expect(whole.networkCongestion).toBe(congestionOf(chain))
  expect(whole.networkCongestion).not.toBe(first.networkCongestion)
})

it('keeps up with new blocks and reorganisations without asking again', async () => {
  const chain = longChain()
  chain.pushes = true
  const source = sourceOf(chain, { blocksOnDemand: false })
  await feesOf(source)
  await pass(chain, 25)
  chain.calls = []
  chain.mine(3)
  await settle()
  chain.reorganise(2, 3)
  await settle()
  const fees = await feesOf(source)
  expect(fees.networkCongestion).toBe(congestionOf(chain))
  expect(fees.wayleave).toBeUndefined()
  expect(feeCalls(chain)).toBeLessThan(5)
})

it('asks for smaller pages where the node refuses, and not at all below the first block', async () => {
  const chain = new SimulatedChain({ blocks: 900 })
  chain.most = 200
  const source = sourceOf(chain)
  await feesOf(source)
  await pass(chain, 6)
  expect((await feesOf(source)).wayleave).toEqual({ congestionBlocks: 899 })
  chain.calls = []
  await pass(chain, 20)
  expect(feeCalls(chain)).toBe(0)
})

it('waits longer after each failure, tells it, and goes on', async () => {
  const chain = longChain()
  const failures: unknown[] = []
  const source = sourceOf(chain, { onFailure: (why) => failures.push(why) })
  await feesOf(source)
  chain.errors.set('eth_feeHistory', { code: -32005, message: 'rate limit exceeded' })
  chain.calls = []
  await pass(chain, 60)
  // After 1, 3, 7, 15 and 31 s.
  expect(feeCalls(chain)).toBe(5)
  expect(failures).toHaveLength(5)
  chain.errors.clear()
  await pass(chain, 30)
  expect((await feesOf(source)).wayleave).toBeUndefined()
})

it('gives up a node that tells a block at a time', async () => {
  const chain = longChain()
  const source = sourceOf(chain)
  await feesOf(source)
  chain.most = 1
  chain.calls = []
  await pass(chain, 300)
  expect(feeCalls(chain)).toBe(200)
})

it('stops with the source, and cancels a page on its way', async () => {
  const chain = longChain()
  let waiting = 0
  const handler: FeeSourceOptions['handler'] = (request, context) => {
    const isPage = request.method === 'eth_feeHistory' && (request.params!.value() as unknown[])[0] === '0x400'
    if (!isPage) return chain.handler(request, context)
    waiting += 1
    return new Promise((_, reject) => {
      context.onCancel((why) => {
        waiting -= 1
        reject(why)
      })
    })
  }
  const source = sourceOf(chain, { handler })
  await feesOf(source)
  await pass(chain, 2)
  expect(waiting).toBe(1)
  await source.close()
  await settle()
  expect(waiting).toBe(0)
  chain.calls = []
  await pass(chain, 60)
  expect(chain.calls).toEqual([])
})

it('keeps the base fees in the store, and fetches after a restart only what came since', async () => {
  const chain = longChain()
  const store = { network: 'net', fees: createMemoryFeeStore() }
  const source = sourceOf(chain, { store })
  await feesOf(source)
  await pass(chain, 25)
  await source.close()
  const record = (await store.fees.load('net'))!
  expect(record.earlier!.baseFees).toHaveLength(20_001 - 500)
  expect(record.earlier!.firstNumber + record.earlier!.baseFees.length).toBe(record.blocks[0]!.number)

  chain.calls = []
  const again = sourceOf(chain, { store })
  expect((await feesOf(again)).wayleave).toBeUndefined()
  expect(feeCalls(chain)).toBe(1)
  await again.close()

  chain.mine(2_000)
  const later = sourceOf(chain, { store })
  expect((await feesOf(later)).wayleave).toEqual({ congestionBlocks: 499 })
  chain.calls = []
  await pass(chain, 5)
  expect(feeCalls(chain)).toBe(2)
  const fees = await feesOf(later)
  expect(fees.wayleave).toBeUndefined()
  expect(fees.networkCongestion).toBe(congestionOf(chain))
})

it('ignores kept base fees that do not reach to the blocks', async () => {
  const chain = new SimulatedChain()
  const fees = createMemoryFeeStore()
  const source = sourceOf(chain, { store: { network: 'net', fees } })
  await feesOf(source)
  await source.close()
  const record = (await fees.load('net'))!
  await fees.save('net', { ...record, earlier: { firstNumber: 7, baseFees: [1n, 1n] } })
  expect((await feesOf(sourceOf(chain, { store: { network: 'net', fees } }))).wayleave).toEqual({
    congestionBlocks: 499,
  })
})

it('tells watchers of a block, not of a page', async () => {
  const chain = longChain()
  const source = sourceOf(chain)
  const reported: number[] = []
  const leave = source.watch((answer) => reported.push(answer.fees.wayleave?.congestionBlocks ?? 20_000))
  await pass(chain, 25)
  expect(reported).toEqual([499])
  chain.mine()
  await pass(chain, 2)
  expect(reported).toEqual([499, 20_000])
  leave()
})

it('asks again after the network was away', async () => {
  const chain = longChain()
  const source = sourceOf(chain)
  await feesOf(source)
  chain.failure = new RpcError('connect', 'away')
  await pass(chain, 10)
  chain.failure = undefined
  await pass(chain, 60)
  expect((await feesOf(source)).wayleave).toBeUndefined()
})
