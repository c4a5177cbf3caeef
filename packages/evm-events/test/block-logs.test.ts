import { createContext, rawJsonFromValue, RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  type BlockLogsOptions,
  createBlockLogs,
  type StreamBlock,
  streamBlockOf,
  type WantedContents,
} from '@wayleave/evm-events'
import { describe, expect, test } from 'vitest'
import {
  address,
  blockJson,
  createSimChain,
  log,
  logObjects,
  receiptObjects,
  type SimLog,
} from './support/sim-chain.ts'
import { createSimNode, type Fault, settle } from './support/sim-node.ts'

const three = [log(1, 1), log(2, 1), log(1, 2)]

function scene(
  logs: readonly SimLog[] = three,
  fault: (method: string) => Fault = () => undefined,
  options: Partial<BlockLogsOptions> = {},
) {
  const clock = new FakeClock()
  const chain = createSimChain(1_000)
  const made = chain.grow(logs)
  const block: StreamBlock = streamBlockOf(blockJson(made))!
  const node = createSimNode(chain, clock, fault)
  const blockLogs = createBlockLogs({ ask: node.ask, clock, ...options })
  const context = createContext({ clock, timeoutMs: 60_000 })
  async function read(wanted: WantedContents) {
    let failure: unknown
    const answer = blockLogs.read(block, wanted, context).catch((why: unknown) => void (failure = why))
    await settle(clock, 31_000, 500)
    return { contents: await answer, failure: failure as RpcError, asked: node.asked.map((line) => line.split(' ')[0]) }
  }
  return { clock, chain, made, block, node, blockLogs, context, read }
}

describe('reading', () => {
  test('asks once for all logs, and keeps their bytes', async () => {
    const { read, made, node } = scene()
    const { contents } = await read({ logs: true })
    expect(contents!.logs.map(({ raw }) => raw.text())).toEqual(logObjects(made).map((one) => JSON.stringify(one)))
    expect(contents!.logs[1]).toMatchObject({ address: address(2), topics: three[1]!.topics })
    expect(node.asked).toEqual([`eth_getLogs [{"blockHash":"${made.hash}"}]`])
  })

  test('asks for some addresses only where no others are wanted', async () => {
    const { read, node } = scene()
    const { contents } = await read({ logs: true, addresses: [address(2)] })
    expect(contents!.logs).toHaveLength(1)
    expect(node.asked[0]).toContain(`"address":["${address(2)}"]`)
  })

  test('cuts the logs out of the receipts where both are wanted', async () => {
    const { read, made } = scene()
    const { contents, asked } = await read({ logs: true, receipts: true })
    expect(asked).toEqual(['eth_getBlockReceipts'])
    expect(contents!.receipts.map(({ raw }) => raw.text())).toEqual(
      receiptObjects(made).map((one) => JSON.stringify(one)),
    )
    expect(contents!.logs.map(({ raw }) => raw.text())).toEqual(logObjects(made).map((one) => JSON.stringify(one)))
  })

  test('asks nothing where the header rules it out', async () => {
    expect((await scene([]).read({ logs: true, receipts: true })).asked).toEqual([])
    expect((await scene().read({ logs: true, mayMatch: () => false })).asked).toEqual([])
    expect((await scene().read({})).asked).toEqual([])
    const incomplete = scene([], undefined, { hasCompleteBlooms: false })
    expect((await incomplete.read({ logs: true })).asked).toEqual(['eth_getLogs'])
  })
})

describe('answers that cannot be', () => {
  test.each<Fault>(['empty', 'null', 'error', 'reject', 'garbage', 'hang'])('asks again after %s', async (fault) => {
    let faults = 2
    const { read, clock } = scene(three, () => (faults-- > 0 ? fault : undefined))
    const { contents } = await read({ logs: true })
    expect(contents!.logs).toHaveLength(3)
    expect(clock.timers).toBe(1)
  })

  test('an empty answer for some addresses is held against the whole block', async () => {
    let faults = 1
    const { read } = scene(three, () => (faults-- > 0 ? 'empty' : undefined))
    const { contents, asked } = await read({ logs: true, addresses: [address(1)] })
    expect(asked).toEqual(['eth_getLogs', 'eth_getLogs'])
    expect(contents!.logs).toHaveLength(3)
  })

  test('takes the receipts where nodes refuse the question for logs', async () => {
    const { read } = scene(three, (method) => (method === 'eth_getLogs' ? 'error' : undefined))
    const { contents, asked } = await read({ logs: true })
    expect(asked).toEqual(['eth_getLogs', 'eth_getBlockReceipts'])
    expect(contents).toMatchObject({ logs: [{}, {}, {}], receipts: [] })
  })

  test('is asked for elsewhere than at the nodes whose answers were of no use', async () => {
    const clock = new FakeClock()
    const made = createSimChain().grow(three)
    const avoided: string[] = []
    const answers = [
      { error: { code: -32000, message: 'not available' }, meta: { endpoint: 'a' } },
      { result: rawJsonFromValue([]), meta: { endpoint: 'b' } },
      { result: rawJsonFromValue(logObjects(made)), meta: { endpoint: 'c' } },
    ]
    const blockLogs = createBlockLogs({
      ask: async () => answers.shift()!,
      elsewhere(request, useless) {
        avoided.push(useless.map(({ endpoint }) => endpoint).join(' '))
        return request
      },
      clock,
    })
    const reading = blockLogs.read(streamBlockOf(blockJson(made))!, { logs: true }, createContext({ clock }))
    await settle(clock, 10_000, 500)
    expect((await reading).logs).toHaveLength(3)
    expect(avoided).toEqual(['a', 'a b'])
  })

  test.each([
    ['of another block', (logs: object[]) => [{ ...logs[0], blockHash: address(3) }]],
    ['out of order', (logs: object[]) => logs.toReversed()],
    ['without topics', (logs: object[]) => [{ ...logs[0], topics: undefined }]],
    ['without a place', (logs: object[]) => [{ ...logs[0], logIndex: 'x' }]],
  ])('refuses logs %s', async (_, lie) => {
    const clock = new FakeClock()
    const made = createSimChain().grow(three)
    const blockLogs = createBlockLogs({
      ask: async () => ({ result: rawJsonFromValue(lie(logObjects(made))) }),
      clock,
      patienceMs: 0,
    })
    const reading = blockLogs.read(streamBlockOf(blockJson(made))!, { logs: true }, createContext({ clock }))
    await expect(reading).rejects.toMatchObject({ code: 'unavailable', cause: { code: 'invalid_response' } })
  })

  test('rejects past its patience, and leaves nothing behind', async () => {
    const { read, clock, node } = scene(three, () => 'error')
    const { failure } = await read({ logs: true })
    expect(failure).toMatchObject({ code: 'unavailable', message: 'no node has the logs' })
    expect(node.asked.length).toBeLessThan(25)
    expect(clock.timers).toBe(1)
  })

  test('a cancelled reading ends at once', async () => {
    const { blockLogs, block, context, clock, node } = scene(three, () => 'hang')
    const reading = blockLogs.read(block, { logs: true }, context)
    await settle(clock)
    context.cancel(new RpcError('aborted', 'nobody wants it'))
    await expect(reading).rejects.toThrow('nobody wants it')
    await settle(clock)
    expect([clock.timers, node.open()]).toEqual([0, 0])
  })
})

test('what is not verified is asked for again, as a whole block', async () => {
  const seen: string[] = []
  const verify: BlockLogsOptions['verify'] = async (_, { kind, raw }) => {
    seen.push(`${kind} ${(raw.value() as object[]).length}`)
    if (seen.length === 1) throw new Error('incomplete')
  }
  const { read } = scene(three, undefined, { verify })
  const { contents } = await read({ logs: true, addresses: [address(2)] })
  expect(seen).toEqual(['logs 3', 'receipts 2'])
  expect(contents!.logs).toHaveLength(3)
})

describe('kept logs', () => {
  test('come back, and say that they are removed', async () => {
    const { read, blockLogs, block } = scene()
    const { contents } = await read({ logs: true })
    blockLogs.keep(block.hash, contents!.logs.slice(0, 1))
    const [kept] = blockLogs.kept(block.hash)!
    expect(kept!.raw.text()).toBe(contents!.logs[0]!.raw.text())
    expect(kept!.removed().text()).toBe(kept!.raw.text().replace('"removed":false', '"removed":true'))
    expect(kept!.removed()).toBe(kept!.removed())
    expect(blockLogs.kept('0x')).toBeUndefined()
  })

  test('are bounded by blocks and by bytes, the oldest go first', async () => {
    const { read, blockLogs } = scene(three, undefined, { maxKeptBlocks: 2, maxKeptBytes: 6_000 })
    const { contents } = await read({ logs: true })
    for (const hash of ['a', 'b', 'c']) blockLogs.keep(hash, [])
    expect(['a', 'b', 'c'].map((hash) => blockLogs.kept(hash))).toEqual([undefined, [], []])
    blockLogs.keep('d', contents!.logs)
    blockLogs.keep('d', contents!.logs)
    expect(blockLogs.kept('d')).toHaveLength(3)
    blockLogs.keep('e', contents!.logs)
    expect(blockLogs.kept('d')).toBeUndefined()
    expect(blockLogs.kept('e')).toHaveLength(3)
  })
})
