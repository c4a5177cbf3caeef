import {
  createContext,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createEventStreams } from '@wayleave/evm-events'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const hex = (number: number): string => `0x${number.toString(16)}`
const hashOf = (block: number, i: number): string =>
  `0x${`${block.toString(16)}${i.toString(16).padStart(4, '0')}`.padStart(64, '0')}`

/** A part of a block as Base documents it: its base comes with the first one alone. */
const part = (number: number, index: number) => ({
  payload_id: `0x03${number.toString(16).padStart(14, '0')}`,
  index,
  ...(index === 0 && { base: { block_number: hex(number), parent_hash: hashOf(number - 1, 0xffff) } }),
  diff: { transactions: [hashOf(number, index)] },
  metadata: { block_number: number },
})
const partsOf = (number: number, last: number, first = 0) =>
  Array.from({ length: last - first + 1 }, (_, i) => part(number, first + i))
/** The block so far, as some nodes tell it. */
const soFar = (number: number, count: number) => ({
  number: hex(number),
  hash: hashOf(number, count),
  parentHash: hashOf(number - 1, 0xffff),
  transactions: Array.from({ length: count }, (_, i) => hashOf(number, i)),
})
const logOf = (number: number, i: number) => ({
  transactionHash: hashOf(number, i),
  logIndex: hex(i),
  blockNumber: hex(number),
})

/** Two nodes with flashblocks, of which the second one is asked when the first one is gone. */
function begin() {
  const clock = new FakeClock()
  const open: { readonly params: string; readonly sink: RpcSink }[] = []
  const asked: string[] = []
  /** The answers that were parsed as a whole, by their methods. */
  const parsed: string[] = []
  let head = 100
  let takes = true
  /** The answers to other questions, by method and first param. */
  const answers = new Map<string, unknown>()
  const ask: RpcHandler = async ({ method, params }) => {
    if (method !== 'eth_subscribe') {
      asked.push(`${method} ${params!.text()}`)
      const [first] = params!.value() as unknown[]
      const key = typeof first === 'string' ? `${method} ${first}` : method
      if (!answers.has(key)) throw new RpcError('unavailable', 'nobody answers')
      const result = rawJsonFromValue(await answers.get(key))
      const value = result.value.bind(result)
      return { result: Object.assign(result, { value: () => (parsed.push(method), value()) }) }
    }
    if (!takes) return { error: { code: -32601, message: 'no "newFlashblocks" subscription in eth namespace' } }
    return {
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(sink) {
          const own = { params: params!.text(), sink }
          open.push(own)
          return () => void (open.includes(own) && open.splice(open.indexOf(own), 1))
        },
      },
    }
  }
  const streams = createEventStreams({
    source: { get head() { return { number: head, hash: hashOf(head, 0) } }, watch: () => () => {} }, // prettier-ignore
    ask,
    clock,
  })
  async function answerTo(...params: readonly unknown[]) {
    const context = createContext({ clock })
    const request = { method: 'eth_subscribe', params: rawJsonFromValue(params), notification: false }
    return streams.subscribe(request, context).finally(() => context.release())
  }
  async function subscribe(...params: readonly unknown[]) {
    const response = await answerTo(...params)
    if (response.error !== undefined) throw new Error(response.error.message)
    const got: unknown[] = []
    const ends: (RpcError | undefined)[] = []
    const leave = response.subscription!.open({
      event: (_: string, result: RawJson) => got.push(result.value()) > 0,
      gap: () => expect.unreachable(),
      end: (why) => void ends.push(why),
    })
    await turns()
    return { got, ends, leave }
  }
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) await Promise.resolve()
  }
  return {
    clock,
    open,
    asked,
    parsed,
    answers,
    answerTo,
    subscribe,
    turns,
    grow: (to: number) => (head = to),
    refuse: () => (takes = false),
    push(...events: readonly unknown[]) {
      for (const event of events) open[0]!.sink.event('eth_subscription', rawJsonFromValue(event))
    },
    /** Breaks the connection to the node; the other one takes the subscription. */
    async move() {
      const { sink } = open[0]!
      sink.end(new RpcError('disconnected', 'gone'))
      await turns()
      clock.advance(100)
      await turns()
    },
  }
}

it('parts of blocks come once and in order when their node is lost, whatever part the other one begins with', async () => {
  for (const first of [0, 2, 3, 4]) {
    const { subscribe, push, move, open } = begin()
    const [one, two] = [await subscribe('newFlashblocks'), await subscribe('newFlashblocks')]
    expect(open.map(({ params }) => params)).toEqual(['["newFlashblocks"]'])
    push(...partsOf(101, 3))
    await move()
    push(...partsOf(100, 5, 4), ...partsOf(101, 5, first), ...partsOf(102, 1))
    const all = [...partsOf(101, 5), ...partsOf(102, 1)]
    expect([one.got, two.got]).toEqual([all, all])
  }
})

it('after a move a new block begins with its base', async () => {
  const { subscribe, push, move } = begin()
  const { got } = await subscribe('newFlashblocks')
  push(...partsOf(101, 2))
  await move()
  push(...partsOf(103, 4, 2), ...partsOf(104, 1))
  expect(got).toEqual([...partsOf(101, 2), ...partsOf(104, 1)])
})

it('parts come in order, each once, and none without its base, whatever nodes tell after how many moves', async () => {
  const stay = fc.record({ back: fc.integer({ min: 0, max: 15 }), ahead: fc.integer({ min: 0, max: 15 }), reports: fc.nat({ max: 30 }) }) // prettier-ignore
  await fc.assert(
    fc.asyncProperty(fc.array(stay, { minLength: 1, maxLength: 6 }), async (stays) => {
      const { subscribe, push, move } = begin()
      const { got } = await subscribe('newFlashblocks')
      const all = [101, 102, 103, 104, 105, 106, 107].flatMap((number) => partsOf(number, 4))
      let at = 0
      let isFirst = true
      for (const { back, ahead, reports } of stays) {
        if (!isFirst) {
          await move()
          // Another node may be behind the one before, or ahead of what that one told.
          at = Math.max(0, Math.min(all.length, at - back + ahead))
        }
        isFirst = false
        push(...all.slice(at, at + reports))
        at = Math.min(all.length, at + reports)
      }
      const places = got.map((one) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)))
      for (let i = 0; i < places.length; i++) {
        if (i > 0) expect(places[i]).toBeGreaterThan(places[i - 1]!)
        const base = places[i]! - (places[i]! % 5)
        expect(places).toContain(base)
      }
    }),
    { numRuns: 300 },
  )
})

it('a node whose blocks have no base is heard from its next block on', async () => {
  const { subscribe, push, move } = begin()
  const { got } = await subscribe('newFlashblocks')
  push(part(101, 1))
  await move()
  push(part(102, 1), part(102, 2), part(103, 1))
  expect(got).toEqual([part(101, 1), part(103, 1)])
})

it('a block that is built anew is told from its base on', async () => {
  const { subscribe, push, move } = begin()
  const { got } = await subscribe('newFlashblocks')
  push(...partsOf(101, 3))
  await move()
  const anew = partsOf(101, 1).map((one) => ({ ...one, payload_id: '0x04' }))
  push(...anew)
  expect(got).toEqual([...partsOf(101, 3), ...anew])
})

it('parts go on after a move where the last one was of a block far above, or the chain was set back', async () => {
  for (const [far, back] of [
    [2 ** 50, 102],
    [2 ** 40, 3],
    [10_004, 100],
    [110, 100],
  ] as const) {
    const { subscribe, push, move, grow } = begin()
    const { got } = await subscribe('newFlashblocks')
    grow(far - 1)
    push(part(far, 0))
    await move()
    grow(back - 1)
    push(...partsOf(back, 2), ...partsOf(back + 1, 1))
    expect(got).toEqual([part(far, 0), ...partsOf(back, 2), ...partsOf(back + 1, 1)])
  }
})

it('parts go on within 16 blocks, whatever the last one was', async () => {
  const { subscribe, push, move } = begin()
  const { got } = await subscribe('newFlashblocks')
  push(part(116, 0))
  await move()
  for (let number = 101; number < 118; number++) push(...partsOf(number, 1))
  expect(got).toEqual([part(116, 0), part(116, 1), ...partsOf(117, 1)])
})

it('nodes that tell the block so far are joined by the count of its transactions', async () => {
  const { subscribe, push, move } = begin()
  const { got } = await subscribe('newFlashblocks')
  push(soFar(101, 1), soFar(101, 3))
  await move()
  push(soFar(100, 9), soFar(101, 2), soFar(101, 3), soFar(101, 4), soFar(102, 1))
  expect(got).toEqual([soFar(101, 1), soFar(101, 3), soFar(101, 4), soFar(102, 1)])
  const late = await subscribe('newFlashblocks')
  expect(late.got).toEqual([soFar(102, 1)])
})

it('a subscriber begins with the block in progress, or with the one that it names', async () => {
  const { subscribe, push, open } = begin()
  await subscribe('newFlashblocks')
  push(...partsOf(101, 3), ...partsOf(102, 2))
  const now = await subscribe('newFlashblocks')
  const since = await subscribe('newFlashblocks', { fromBlock: hex(101) })
  push(part(102, 3))
  expect(now.got).toEqual(partsOf(102, 3))
  expect(since.got).toEqual([...partsOf(101, 3), ...partsOf(102, 3)])
  expect(open).toHaveLength(1)
})

it('a subscriber begins with the next block where not all parts of the one in progress are kept', async () => {
  const long = 'x'.repeat(1_048_576)
  for (const events of [partsOf(101, 69), partsOf(101, 9).map((one) => ({ ...one, diff: long }))]) {
    const { subscribe, push } = begin()
    const first = await subscribe('newFlashblocks')
    push(...partsOf(100, 1), ...events)
    const late = [await subscribe('newFlashblocks'), await subscribe('newFlashblocks', { fromBlock: hex(100) })]
    const next = [part(101, 70), ...partsOf(102, 2)]
    push(...next)
    for (const { got } of late) expect(got).toEqual(partsOf(102, 2))
    expect(first.got).toEqual([...partsOf(100, 1), ...events, ...next])
    expect((await subscribe('newFlashblocks', { fromBlock: hex(100) })).got).toEqual(partsOf(102, 2))
  }
})

it('a subscriber that has begun with a block gets the rest of it, however long it is', async () => {
  const { subscribe, push } = begin()
  await subscribe('newFlashblocks')
  push(...partsOf(101, 63))
  const { got } = await subscribe('newFlashblocks')
  push(...partsOf(101, 69, 64))
  expect(got).toEqual(partsOf(101, 69))
})

it('a block that is told as a whole each time is begun with at any time, however long it is', async () => {
  const { subscribe, push } = begin()
  await subscribe('newFlashblocks')
  const long = { ...soFar(101, 2), extraData: 'x'.repeat(5_000_000) }
  push(soFar(101, 1), long)
  const { got } = await subscribe('newFlashblocks')
  push(soFar(101, 3))
  expect(got).toEqual([soFar(101, 3)])
  expect((await subscribe('newFlashblocks')).got).toEqual([soFar(101, 3)])
})

it('a subscriber that names a block after the one in progress begins with that, and is refused far above it', async () => {
  const { subscribe, push, answerTo } = begin()
  await subscribe('newFlashblocks')
  push(...partsOf(101, 2))
  expect((await subscribe('newFlashblocks', { fromBlock: hex(102) })).got).toEqual(partsOf(101, 2))
  expect((await answerTo('newFlashblocks', { fromBlock: hex(103) })).error).toEqual({
    code: -32000,
    message: 'block 103 is above the head, 100: try again when it is there',
  })
})

it('logs and transactions that were missed are asked for, and each is told once', async () => {
  for (const kind of ['pendingLogs', 'newFlashblockTransactions']) {
    const { subscribe, push, move, answers, asked, grow, turns } = begin()
    const eventOf = kind === 'pendingLogs' ? logOf : hashOf
    const { got } = await subscribe(kind)
    push(eventOf(101, 0), eventOf(101, 1))
    grow(102)
    answers.set('eth_getLogs', [logOf(101, 0), logOf(101, 1), logOf(101, 2), logOf(102, 0), logOf(103, 0)])
    const hashes = (number: number, count: number) => ({
      number: hex(number),
      transactions: Array.from({ length: count }, (_, i) => hashOf(number, i)),
    })
    answers.set('eth_getBlockByNumber 0x65', hashes(101, 3))
    answers.set('eth_getBlockByNumber 0x66', hashes(102, 1))
    answers.set('eth_getBlockByNumber pending', hashes(103, 1))
    await move()
    push(eventOf(102, 0), eventOf(103, 0), eventOf(103, 1))
    await turns()
    expect(got).toEqual([...[0, 1, 2].map((i) => eventOf(101, i)), eventOf(102, 0), eventOf(103, 0), eventOf(103, 1)])
    if (kind === 'pendingLogs') expect(asked).toEqual(['eth_getLogs [{"fromBlock":"0x65","toBlock":"pending"}]'])
  }
})

it('logs go on where what was missed cannot be had', async () => {
  const { subscribe, push, move, turns } = begin()
  const { got } = await subscribe('pendingLogs', { address: '0xab' })
  push(logOf(101, 0))
  await move()
  push(logOf(101, 0), logOf(103, 0))
  await turns()
  expect(got).toEqual([logOf(101, 0), logOf(103, 0)])
})

it('logs are told from a block on, those that come meanwhile after them, and each once', async () => {
  const { answerTo, subscribe, push, answers, asked, open, grow } = begin()
  const first = await subscribe('pendingLogs', { address: '0xab' })
  answers.set('eth_getLogs', [logOf(99, 0), logOf(100, 0), logOf(101, 0)])
  const since = subscribe('pendingLogs', { address: '0xab', fromBlock: hex(99) })
  push(logOf(101, 0), logOf(101, 1))
  const { got } = await since
  push(logOf(101, 2))
  expect(got).toEqual([logOf(99, 0), logOf(100, 0), logOf(101, 0), ...got.slice(3)])
  expect(new Set(got.map((log) => JSON.stringify(log))).size).toBe(got.length)
  expect(first.got).toEqual([0, 1, 2].map((i) => logOf(101, i)))
  expect(asked).toEqual(['eth_getLogs [{"address":"0xab","fromBlock":"0x63","toBlock":"pending"}]'])
  expect(open).toHaveLength(1)
  grow(300)
  expect((await answerTo('pendingLogs', { fromBlock: '0x0' })).error).toEqual({
    code: -32602,
    message: 'expected at most 128 blocks back from the head, 300, got 300',
  })
})

it('logs are refused from a block above the head, and parts of blocks from an old one are those that are kept', async () => {
  const { answerTo, subscribe, push, grow } = begin()
  expect((await answerTo('pendingLogs', { fromBlock: hex(102) })).error).toEqual({
    code: -32000,
    message: 'block 102 is above the head, 100: try again when it is there',
  })
  await subscribe('newFlashblocks')
  grow(400)
  push(...partsOf(401, 2))
  expect((await subscribe('newFlashblocks', { fromBlock: '0x0' })).got).toEqual(partsOf(401, 2))
})

it('subscribers are told the end within 10 s where no node has them any more', async () => {
  const { subscribe, push, refuse, clock, open, turns } = begin()
  const all = [await subscribe('newFlashblocks'), await subscribe('newFlashblocks')]
  push(part(101, 0))
  refuse()
  open[0]!.sink.end()
  for (let i = 0; i < 110; i++) {
    clock.advance(100)
    await turns()
  }
  for (const { ends } of all) expect(ends).toMatchObject([{ code: 'unavailable' }])
  expect(clock.timers).toBe(0)
})

it('hashes of transactions are one subscription, however a caller says that it wants no more', async () => {
  const { subscribe, open } = begin()
  for (const flag of [[], [false], [null], [true], [{ address: '0xab' }]])
    await subscribe('newFlashblockTransactions', ...flag)
  expect(open.map(({ params }) => params)).toEqual([
    '["newFlashblockTransactions"]',
    '["newFlashblockTransactions",true]',
    '["newFlashblockTransactions",{"address":"0xab"}]',
  ])
})

it('an event passes as it came where its members are of other types than nodes tell', async () => {
  for (const odd of ['{"toString":0,"valueOf":0}', '['.repeat(50_000) + ']'.repeat(50_000), 'null', '7', 'true']) {
    for (const [kind, event] of [
      ['pendingLogs', `{"transactionHash":"${hashOf(101, 0)}","logIndex":ODD}`],
      ['pendingLogs', '{"transactionHash":ODD,"logIndex":"0x0"}'],
      ['newFlashblockTransactions', '{"hash":ODD}'],
      ['newFlashblockTransactions', 'ODD'],
      ['newFlashblocks', '{"number":"0x65","parentHash":ODD,"transactions":[]}'],
      ['newFlashblocks', '{"number":ODD,"parentHash":ODD,"transactions":ODD}'],
      ['newFlashblocks', '{"payload_id":"0x1","index":0,"base":ODD,"metadata":ODD}'],
      ['newFlashblocks', '{"payload_id":"0x1","index":0,"base":{"block_number":ODD},"metadata":{"block_number":ODD}}'],
      ['newFlashblocks', '{"payload_id":ODD,"index":ODD}'],
      ['newFlashblocks', 'ODD'],
    ] as const) {
      const { subscribe, open } = begin()
      const { got } = await subscribe(kind)
      open[0]!.sink.event('eth_subscription', rawJsonFromText(event.replaceAll('ODD', odd)))
      expect(got).toHaveLength(1)
    }
  }
})

it('logs whose place in the block is not told are all told', async () => {
  const { subscribe, push, move, turns, answers } = begin()
  const first = await subscribe('pendingLogs')
  const logs = [0, 1, 2].map((i) => ({ transactionHash: hashOf(101, 0), logIndex: null, data: hex(i) }))
  push(...logs)
  expect(first.got).toEqual(logs)
  answers.set('eth_getLogs', logs.slice(0, 1))
  const late = await subscribe('pendingLogs', { fromBlock: hex(101) })
  await turns()
  push(...logs.slice(1))
  expect(late.got).toEqual(logs)
  await move()
  await turns()
})

it('events that wait for earlier ones are bounded by their bytes', async () => {
  const { subscribe, push, answers } = begin()
  let answer = (): void => {}
  answers.set('eth_getLogs', new Promise((resolve) => (answer = () => resolve([]))))
  const { ends } = await subscribe('pendingLogs', { fromBlock: hex(101) })
  for (let i = 0; ends.length === 0 && i < 16; i++) push({ ...logOf(101, i), data: 'x'.repeat(1_048_576) })
  expect(ends).toMatchObject([{ code: 'overloaded' }])
  answer()
})

it('names that no node gives are not kept: their events come as often as they are told', async () => {
  const long = 'x'.repeat(100)
  for (const [kind, event] of [
    ['pendingLogs', { transactionHash: long, logIndex: '0x0' }],
    ['pendingLogs', { transactionHash: hashOf(101, 0), logIndex: `0x${'0'.repeat(100)}` }],
    ['newFlashblockTransactions', { hash: long }],
    ['newFlashblockTransactions', long],
  ] as const) {
    const { subscribe, push } = begin()
    const { got } = await subscribe(kind)
    push(event, event)
    expect(got).toEqual([event, event])
  }
  const { subscribe, push } = begin()
  await subscribe('newFlashblocks')
  push({ ...part(101, 0), payload_id: long })
  expect((await subscribe('newFlashblocks', { fromBlock: '0x0' })).got).toEqual([])
})

it('earlier logs are read one by one, a MiB at a time, and their names are known while their blocks are in progress', async () => {
  const { subscribe, push, answers, parsed, clock, turns, grow } = begin()
  const long = [0, 1, 2].map((i) => ({ ...logOf(101, i), data: 'x'.repeat(600_000) }))
  answers.set('eth_getLogs', long)
  const { got } = await subscribe('pendingLogs', { fromBlock: hex(101) })
  expect(parsed).toEqual([])
  push(logOf(101, 2), logOf(101, 3))
  expect(got).toEqual(long.slice(0, 2))
  clock.advance(0)
  await turns()
  expect(got).toEqual([...long, logOf(101, 3)])
  push(logOf(101, 1))
  grow(103)
  push(logOf(104, 0), logOf(101, 0))
  expect(got.slice(4)).toEqual([logOf(104, 0), logOf(101, 0)])
})

it('nothing is open or asked when all have left', async () => {
  const { subscribe, open, asked, clock } = begin()
  for (const { leave } of [await subscribe('newFlashblocks'), await subscribe('pendingLogs')]) leave()
  expect([open, asked, clock.timers]).toEqual([[], [], 0])
})
