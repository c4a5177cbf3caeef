import { createFeeSource, createMemoryFeeStore, type FeeStore } from '@wayleave/gas-fees'
import { describe, expect, it } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

async function run(
  chain: SimulatedChain,
  fees: FeeStore,
  onFailure: (why: unknown) => void = () => {},
): Promise<{ readonly blockNumber: number; readonly blocks: number; readonly feeCalls: number }> {
  chain.calls = []
  const source = createFeeSource({
    handler: chain.handler,
    clock: chain.clock,
    store: { network: 'net', fees },
    onFailure,
  })
  const reading = await source.current()
  await settle()
  await source.close()
  if (reading.state !== 'ready') throw new Error(`expected an answer, got ${JSON.stringify(reading)}`)
  const { blockNumber, history } = reading.answer
  expect(history.blocks.map(({ baseFeePerGas }) => baseFeePerGas)).toEqual(
    chain.blocks.slice(-500).map(({ baseFee }) => baseFee),
  )
  expect(history.nextBaseFeePerGas).toBe(chain.nextBaseFee)
  return { blockNumber, blocks: history.blocks.length, feeCalls: chain.calls.length }
}

/** A store that says what it is asked. */
function spied(): FeeStore & { readonly saves: number[] } {
  const { load, save } = createMemoryFeeStore()
  const saves: number[] = []
  return {
    saves,
    load,
    save(network, record) {
      saves.push(record.blocks.at(-1)!.number)
      return save(network, record)
    },
  }
}

describe('blocks that are kept', () => {
  it('are taken over after a restart, also where the chain has not moved', async () => {
    const chain = new SimulatedChain()
    const fees = spied()
    await run(chain, fees)
    expect(fees.saves).toEqual([599])
    chain.most = 3
    const again = await run(chain, fees)
    expect(again).toMatchObject({ blockNumber: 599, blocks: 500 })
    chain.mine(2)
    expect(await run(chain, fees)).toMatchObject({ blockNumber: 601, blocks: 500 })
  })

  it('are dropped where a reorganisation has taken the newest of them', async () => {
    const chain = new SimulatedChain()
    const fees = spied()
    await run(chain, fees)
    chain.reorganise(1, 2)
    await run(chain, fees)
  })

  it('are dropped where another chain has the same name', async () => {
    const fees = spied()
    await run(new SimulatedChain(), fees)
    for (const blocks of [300, 600, 700]) {
      await run(new SimulatedChain({ blocks, seed: 10_000 }), fees)
    }
  })

  it('are dropped where they were kept for another strategy, or have a hole', async () => {
    const chain = new SimulatedChain()
    const fees = createMemoryFeeStore()
    await run(chain, fees)
    const whole = (await fees.load('net'))!
    for (const record of [
      { ...whole, percentiles: [1, 2] },
      { ...whole, blocks: whole.blocks.filter(({ number }) => number !== 300) },
      { ...whole, blocks: [] },
    ]) {
      await fees.save('net', record)
      await run(chain, fees)
    }
  })

  it('are saved every 30 s, one save at a time', async () => {
    const chain = new SimulatedChain()
    chain.pushes = true
    const fees = spied()
    const source = createFeeSource({ handler: chain.handler, clock: chain.clock, store: { network: 'net', fees } })
    await source.current()
    await settle()
    for (let i = 0; i < 9; i++) {
      chain.mine()
      await settle()
    }
    expect(fees.saves).toEqual([602, 605, 608])
    await source.close()
  })

  it('cost a backfill where the store fails, and no more', async () => {
    const chain = new SimulatedChain()
    const failures: unknown[] = []
    const broken: FeeStore = {
      load: () => Promise.reject(new Error('no disk')),
      save: () => Promise.reject(new Error('no disk')),
    }
    await run(chain, broken, (why) => failures.push(why))
    expect(failures).toHaveLength(2)
  })

  it('are not waited for longer than a call may take', async () => {
    const chain = new SimulatedChain()
    const silent: FeeStore = { load: () => new Promise(() => {}), save: () => new Promise(() => {}) }
    const source = createFeeSource({
      handler: chain.handler,
      clock: chain.clock,
      store: { network: 'net', fees: silent },
    })
    const reading = source.current()
    await settle()
    chain.clock.advance(10_000)
    expect(await reading).toMatchObject({ state: 'ready' })
    const closing = source.close()
    await settle()
    chain.clock.advance(10_000)
    await closing
  })
})
