import {
  createContext,
  isStream,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createFilters,
  createMemoryFilterStore,
  type FilterStore,
  type FiltersOptions,
  getLogs,
  type StoredFilter,
} from '@wayleave/evm-events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  address,
  blockJson,
  createSimChain,
  hex,
  log,
  logObjects,
  type SimBlock,
  type SimChain,
} from './support/sim-chain.ts'
import { createSimNode, type Fault, settle, until } from './support/sim-node.ts'

function scene(
  options: Partial<FiltersOptions> & {
    most?: number
    /** The most blocks of one range of logs, by the answer, and by a rejection. */
    range?: number
    mostProven?: number
    fault?: (method: string, params: string) => Fault
    /** Answers in place of the node. */
    answer?: (method: string, params: string) => RpcResponse | undefined
    delayMs?: () => number
    /** Runs a change of the store. */
    putting?: (put: () => Promise<boolean>, clock: FakeClock) => Promise<boolean>
  } = {},
) {
  const clock = new FakeClock()
  const chain = createSimChain(1_000)
  for (let n = 0; n < 200; n++) chain.grow([], 'silent')
  const node = createSimNode(chain, clock, options.fault, options.delayMs)
  const memory = createMemoryFilterStore(clock)
  const { putting = (put) => put() } = options
  const store: FilterStore = { ...memory, put: (filter) => putting(() => memory.put(filter), clock) }
  const open = new Map<string | undefined, number>()
  const host: RpcHandler = async (request, context) => {
    const other = options.answer?.(request.method, request.params?.text() ?? '')
    if (other !== undefined) return other
    if (request.method !== 'eth_getLogs') return node.ask(request, context)
    const [{ fromBlock, toBlock }] = request.params!.value() as [{ fromBlock?: string; toBlock?: string }]
    const count = Number(toBlock) - Number(fromBlock) + 1
    if (count > (options.mostProven ?? count)) {
      const message = `range ${count} exceeds limit of ${options.mostProven} blocks whose logs are proven at once: ask for fewer`
      throw new RpcError('denied', message, { rpc: { code: -32602, message } })
    }
    return node.ask(request, context)
  }
  let ids = 0
  const make = (known: readonly StoredFilter[] = []) =>
    createFilters({
      clock,
      known,
      headOf: () => chain.head,
      store,
      newId: () => `0x${(++ids).toString(16)}`,
      share: {
        take(project, amount) {
          const count = open.get(project) ?? 0
          if (count + amount > (options.most ?? 2)) return false
          open.set(project, count + amount)
          return true
        },
        give: (project, amount) => void open.set(project, open.get(project)! - amount),
      },
      ...options,
    })(getLogs({ clock, headOf: () => chain.head, maxBlocks: options.range ?? 100_000 })(host))
  let handler = make()
  async function ask(method: string, params: unknown = [], tenant = 'one', timeoutMs = 60_000): Promise<RpcResponse> {
    const context = createContext({ clock, tenant, timeoutMs, acceptStream: true })
    try {
      return await until(clock, handler({ method, params: rawJsonFromValue(params), notification: false }, context))
    } finally {
      context.release()
    }
  }
  async function value(method: string, params: unknown = [], tenant?: string, timeoutMs?: number): Promise<unknown> {
    const { error, result } = await ask(method, params, tenant, timeoutMs)
    if (error !== undefined) throw new Error(error.message)
    if (isStream(result)) throw new Error('a stream')
    return result.value()
  }
  const poll = (id: unknown, tenant?: string) => value('eth_getFilterChanges', [id], tenant)
  return {
    clock,
    chain,
    node,
    store,
    open,
    ask,
    value,
    poll,
    restart: (known?: readonly StoredFilter[]) => (handler = make(known)),
  }
}

type ReportedLog = { blockHash: string; logIndex: string; removed: boolean }

const after = (chain: SimChain, number: number) => chain.canonical().filter((block) => block.number > number)

describe('polls', () => {
  test('tells the logs since the last poll, once', async () => {
    const { chain, value, poll } = scene()
    const id = await value('eth_newFilter', [{ address: address(1) }])
    expect(await poll(id)).toEqual([])
    const one = chain.grow([log(1, 1), log(2, 1)])
    const two = chain.grow([log(1, 2)])
    expect(await poll(id)).toEqual([logObjects(one)[0], ...logObjects(two)])
    expect(await poll(id)).toEqual([])
  })

  test('tells the hashes of blocks, those after a reorg too', async () => {
    const { chain, value, poll } = scene()
    const id = await value('eth_newBlockFilter')
    const hashes = [chain.grow(), chain.grow()].map(({ hash }) => hash)
    expect(await poll(id)).toEqual(hashes)
    chain.reorg(2, 1)
    expect(await poll(id)).toEqual(after(chain, 1_200).map(({ hash }) => hash))
  })

  test('asks for each new block once, for all filters, and for its logs where its header allows some', async () => {
    const { node, chain, value, poll } = scene({ most: 3 })
    const ids = [await value('eth_newFilter', [{ address: address(1) }]), await value('eth_newBlockFilter')]
    const all = await value('eth_newFilter', [{}])
    const made = [chain.grow([log(1, 1), log(3, 1)]), chain.grow([log(2, 2)])]
    node.asked.length = 0
    expect(await poll(ids[0])).toEqual(logObjects(made[0]!).slice(0, 1))
    expect(await poll(ids[1])).toEqual(made.map(({ hash }) => hash))
    expect(await poll(all)).toEqual(made.flatMap(logObjects))
    const logsOf = ({ hash }: { hash: string }) => `eth_getLogs ${JSON.stringify([{ blockHash: hash }])}`
    const block = ({ hash }: { hash: string }) => `eth_getBlockByHash ${JSON.stringify([hash, false])}`
    expect(node.asked).toEqual([...made.toReversed().map(block), ...made.map(logsOf)])
  })

  test('those who may not be told the same ask by themselves', async () => {
    const { node, chain, value, poll } = scene({ shareOf: ({ tenant = '' }) => tenant })
    const [one, two] = [await value('eth_newBlockFilter'), await value('eth_newBlockFilter', [], 'two')]
    const { hash } = chain.grow()
    node.asked.length = 0
    expect([await poll(one), await poll(two, 'two')]).toEqual([[hash], [hash]])
    expect(node.asked).toHaveLength(2)
  })

  test('takes back the logs of replaced blocks, last log first, then tells the new ones', async () => {
    const { chain, value, poll } = scene()
    const id = await value('eth_newFilter', [{ address: [address(1)] }])
    const old = [chain.grow([log(1, 1), log(1, 2)]), chain.grow([log(1, 3), log(2, 3)])]
    await poll(id)
    chain.reorg(2, 1, (i) => [log(1, 10 + i)])
    const gone = [logObjects(old[1]!)[0], ...logObjects(old[0]!).toReversed()].map((one) => ({ ...one, removed: true }))
    expect(await poll(id)).toEqual([...gone, ...after(chain, 1_200).flatMap(logObjects)])
  })

  test('tells many blocks over several polls', async () => {
    const { chain, value, poll } = scene({ maxBlocks: 3, maxHashes: 2 })
    const [logs, blocks] = [await value('eth_newFilter', [{}]), await value('eth_newBlockFilter')]
    for (let i = 0; i < 5; i++) chain.grow([log(1, i)])
    const reported = [await poll(logs), await poll(logs), await poll(logs)] as object[][]
    expect(reported.map((one) => one.length)).toEqual([3, 2, 0])
    expect(reported.flat()).toEqual(after(chain, 1_200).flatMap(logObjects))
    expect((await Promise.all([poll(blocks), poll(blocks), poll(blocks)])).flat()).toEqual(
      after(chain, 1_200).map(({ hash }) => hash),
    )
  })

  test.each(['a node', 'the host'])('tells as many blocks in a poll as %s lets it ask for', async (who) => {
    const { chain, value, poll } = scene(who === 'a node' ? { range: 7 } : { mostProven: 7 })
    const id = await value('eth_newFilter', [{}])
    for (let i = 0; i < 20; i++) chain.grow([log(1, i)])
    const reported = [await poll(id), await poll(id), await poll(id), await poll(id)] as object[][]
    expect(reported.map((one) => one.length)).toEqual([7, 7, 6, 0])
    expect(reported.flat()).toEqual(after(chain, 1_200).flatMap(logObjects))
  })

  test('keeps to the range of the filter', async () => {
    const { chain, value, poll } = scene()
    const id = await value('eth_newFilter', [{ fromBlock: '0x4b2', toBlock: '0x4b3' }])
    for (let i = 0; i < 5; i++) chain.grow([log(1, i)])
    expect(await poll(id)).toEqual(chain.canonical().slice(202, 204).flatMap(logObjects))
  })

  test('tells polls side by side one after the other', async () => {
    const { chain, value, poll } = scene({ delayMs: () => 30 })
    const id = await value('eth_newFilter', [{}])
    const block = chain.grow([log(1, 1)])
    expect((await Promise.all([poll(id), poll(id), poll(id)])).flat()).toEqual(logObjects(block))
  })

  test('tells a list again after a poll that failed', async () => {
    let isDown = false
    const { chain, value, poll } = scene({ fault: () => (isDown ? 'reject' : undefined) })
    const id = await value('eth_newFilter', [{}])
    const block = chain.grow([log(1, 1)])
    isDown = true
    await expect(poll(id)).rejects.toThrow('the node is gone')
    isDown = false
    expect(await poll(id)).toEqual(logObjects(block))
  })

  test('waits while the head is behind the place', async () => {
    const { chain, value, poll, restart } = scene()
    const id = await value('eth_newFilter', [{}])
    const block = chain.grow([log(1, 1)])
    await poll(id)
    chain.reorg(2, -1)
    restart()
    expect(await poll(id)).toEqual([])
    chain.grow()
    chain.grow()
    expect(await poll(id)).toEqual([{ ...logObjects(block)[0], removed: true }])
  })

  test('is gone where the replaced blocks cannot be had', async () => {
    const { chain, value, ask, open } = scene({ maxReorg: 3 })
    const id = await value('eth_newFilter', [{}])
    for (let i = 0; i < 5; i++) chain.grow()
    await value('eth_getFilterChanges', [id])
    chain.reorg(4)
    expect(await ask('eth_getFilterChanges', [id])).toEqual({ error: { code: -32000, message: 'filter not found' } })
    expect(open.get('one')).toBe(0)
  })

  test.each(['none', 'one', 'both'])(
    'no block is taken as empty whose header has logs: a poll before, of %s',
    async (reported) => {
      let empty = 0
      const { chain, value, poll, restart } = scene({
        fault: (method) => (method === 'eth_getLogs' && empty-- > 0 ? 'empty' : undefined),
      })
      const id = await value('eth_newFilter', [{ address: address(1) }])
      const one = chain.grow([log(1, 1)])
      if (reported !== 'none') expect(await poll(id)).toEqual(logObjects(one))
      const two = chain.grow([log(1, 2)])
      if (reported === 'both') expect(await poll(id)).toEqual(logObjects(two))
      const old = reported === 'none' ? [] : reported === 'one' ? [one] : [two, one]
      chain.reorg(2, 1, (i) => [log(1, 10 + i)])
      restart()
      empty = 1
      const gone = old.flatMap(logObjects).map((each) => ({ ...each, removed: true }))
      expect(await poll(id)).toEqual([...gone, ...after(chain, 1_200).flatMap(logObjects)])
    },
  )

  test('lives on where a node does not have a replaced block, and another does', async () => {
    let isMissing = false
    const { chain, value, poll, restart } = scene({
      fault(method) {
        if (method !== 'eth_getBlockByHash' || !isMissing) return undefined
        isMissing = false
        return 'null'
      },
    })
    const id = await value('eth_newFilter', [{}])
    const old = chain.grow([log(1, 1)])
    await poll(id)
    for (let i = 0; i < 6; i++) chain.grow()
    chain.reorg(7, 1, (i) => [log(1, 10 + i)])
    restart()
    isMissing = true
    const [gone] = logObjects(old)
    expect(await poll(id)).toEqual([{ ...gone, removed: true }, ...after(chain, 1_200).flatMap(logObjects)])
  })

  test('takes back what a node still has that has not seen the reorg', async () => {
    const stale: { block?: SimBlock; answers: number } = { answers: 0 }
    const { chain, value, poll, restart } = scene({
      answer: (_, params) =>
        stale.block !== undefined && params.includes(`"${hex(stale.block.number)}"`) && stale.answers-- > 0
          ? { result: blockJson(stale.block) }
          : undefined,
    })
    const id = await value('eth_newFilter', [{}])
    const old = (stale.block = chain.grow([log(1, 1)]))
    await poll(id)
    chain.reorg(1, 6, (i) => [log(1, 10 + i)])
    restart()
    stale.answers = 2
    const [gone] = logObjects(old)
    expect(await poll(id)).toEqual([{ ...gone, removed: true }, ...after(chain, 1_200).flatMap(logObjects)])
  })

  test('far changes wait for nodes that are behind, and end with true words where none has the blocks', async () => {
    let behind = Number.POSITIVE_INFINITY
    const { clock, chain, value, poll } = scene({
      fault: (_, params) => (Number(/0x[0-9a-f]+/.exec(params)?.[0]) > behind ? 'null' : undefined),
    })
    const id = await value('eth_newBlockFilter')
    behind = chain.head.number
    const grown = Array.from({ length: 12 }, () => chain.grow([], 'silent').hash)
    await expect(poll(id)).rejects.toThrow('no node has the blocks of the filter yet')
    clock.after(250, () => (behind = Number.POSITIVE_INFINITY))
    expect(await poll(id)).toEqual(grown)
  })

  test.each([40, 2_000])('a block filter far behind is told in time, from nodes that take %d ms', async (ms) => {
    let delay = 0
    const { chain, node, value } = scene({ delayMs: () => delay })
    const id = await value('eth_newBlockFilter')
    for (let i = 0; i < 300; i++) chain.grow([], 'silent')
    delay = ms
    const wanted = after(chain, 1_200).map(({ hash }) => hash)
    const reported: unknown[] = []
    for (let polls = 1; reported.length < wanted.length; polls++) {
      node.asked.length = 0
      const more = (await value('eth_getFilterChanges', [id], 'one', 30_000)) as unknown[]
      expect(more.length).toBeGreaterThan(ms === 40 && polls === 1 ? 255 : 7)
      expect(node.asked.length).toBeLessThan(280)
      reported.push(...more)
    }
    expect(reported).toEqual(wanted)
  })

  test.each(['null', 'reject', 'garbage', 'hang'] as const)(
    'a block filter far behind tells what comes before a block that cannot be had: %s',
    async (fault) => {
      let isFailing = true
      const { chain, value, poll } = scene({
        fault: (_, params) => (isFailing && params.includes('"0x4c4"') ? fault : undefined),
      })
      const id = await value('eth_newBlockFilter')
      for (let i = 0; i < 100; i++) chain.grow([], 'silent')
      const wanted = after(chain, 1_200).map(({ hash }) => hash)
      expect(await poll(id)).toEqual(wanted.slice(0, 19))
      isFailing = false
      expect(await poll(id)).toEqual(wanted.slice(19))
    },
  )

  test('takes back long logs over several polls', async () => {
    const { chain, value, poll } = scene()
    const id = await value('eth_newFilter', [{}])
    const long = { address: address(1), topics: [`0x${'00'.repeat(4_500_000)}`] }
    const old = [chain.grow([log(1, 1)]), chain.grow([long]), chain.grow([long])]
    for (let i = 0; i < 3; i++) await poll(id)
    chain.reorg(3, 1, (i) => [log(1, 10 + i)])
    const reported: ReportedLog[][] = []
    for (let i = 0; i < 3; i++) reported.push((await poll(id)) as ReportedLog[])
    expect(reported.map((one) => one.map(({ blockHash, removed }) => [blockHash, removed]))).toEqual([
      [[old[2]!.hash, true]],
      [[old[1]!.hash, true]],
      [[old[0]!.hash, true], ...after(chain, 1_200).map(({ hash }) => [hash, false])],
    ])
  })

  test('equal the canonical chain after any growth, reorgs and failures', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('grow' as const), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('reorg' as const), count: fc.integer({ min: 1, max: 70 }) }),
      fc.record({ kind: fc.constant('fail' as const), count: fc.nat(6) }),
      fc.record({ kind: fc.constant('poll' as const), count: fc.constant(1) }),
      fc.record({ kind: fc.constant('restart' as const), count: fc.constant(1) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 25 }),
        fc.constantFrom(2, 10, 1_000),
        async (steps, maxBlocks) => {
          let left = Number.POSITIVE_INFINITY
          const { chain, value, poll, restart } = scene({
            maxBlocks,
            most: Number.POSITIVE_INFINITY,
            fault: () => (left-- <= 0 ? 'reject' : undefined),
          })
          for (let n = 0; n < 80; n++) chain.grow([log(1, n), log(1, n + 1)], 'silent')
          const start = chain.head
          const id = await value('eth_newFilter', [{ address: address(1) }])
          const list: ReportedLog[] = []
          const taken: ReportedLog[] = []
          let salt = 0
          const take = async (): Promise<number> => {
            const reported = (await poll(id)) as ReportedLog[]
            for (const one of reported) {
              if (!one.removed) list.push(one)
              else if (list.length === 0) taken.push(one)
              else expect(list.pop()).toEqual({ ...one, removed: false })
            }
            return reported.length
          }
          for (const { kind, count } of steps) {
            if (kind === 'grow') for (let n = 0; n < count; n++) chain.grow([log(1, ++salt), log(2, salt)])
            if (kind === 'reorg') chain.reorg(count, 1, () => [log(1, ++salt)])
            if (kind === 'restart') restart()
            if (kind === 'poll') await take()
            if (kind === 'fail') {
              left = count
              await take().catch(() => {})
              left = Number.POSITIVE_INFINITY
            }
          }
          while ((await take()) > 0);
          const common = chain.canonical().filter((block) => block.number <= start.number - taken.length / 2)
          const expected = chain.canonical().slice(common.length).flatMap(logObjects) as ReportedLog[]
          const wanted = expected.filter((one) => (one as unknown as { address: string }).address === address(1))
          expect(list).toEqual(wanted)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('life', () => {
  test('outlives a restart with its store, and counts for its project again', async () => {
    const { chain, value, poll, restart, open } = scene()
    const id = await value('eth_newFilter', [{}])
    const block = chain.grow([log(1, 1)])
    restart()
    open.clear()
    expect(await poll(id)).toEqual(logObjects(block))
    expect(open.get('one')).toBe(1)
    expect(await value('eth_uninstallFilter', [id])).toBe(true)
    expect(open.get('one')).toBe(0)
    expect(await value('eth_uninstallFilter', [id])).toBe(false)
  })

  test('is forgotten after 15 minutes without a poll, not before', async () => {
    const { clock, value, ask, poll } = scene({ most: 1 })
    const id = await value('eth_newFilter', [{}])
    clock.advance(800_000)
    await poll(id)
    clock.advance(800_000)
    await poll(id)
    clock.advance(900_000)
    expect(await ask('eth_getFilterChanges', [id])).toEqual({ error: { code: -32000, message: 'filter not found' } })
    const second = await value('eth_newFilter', [{}])
    clock.advance(900_000)
    expect(await value('eth_newFilter', [{}])).not.toBe(second)
  })

  test('counts no longer where it ended at another process, whatever the number of them', async () => {
    const { clock, store, value, ask } = scene({ most: 200 })
    for (let round = 0; round < 3; round++) {
      const ids: string[] = []
      for (let i = 0; i < 200; i++) ids.push((await value('eth_newBlockFilter')) as string)
      await expect(ask('eth_newBlockFilter')).rejects.toMatchObject({ rpc: { code: -32005 } })
      for (const id of ids) await store.remove(id)
      clock.advance(250)
    }
  })

  test('belongs to its project, which may have only so many', async () => {
    const { value, ask } = scene()
    const id = await value('eth_newFilter', [{}])
    const notFound = { error: { code: -32000, message: 'filter not found' } }
    expect(await ask('eth_getFilterChanges', [id], 'two')).toEqual(notFound)
    expect(await ask('eth_getFilterLogs', [id], 'two')).toEqual(notFound)
    expect(await value('eth_uninstallFilter', [id], 'two')).toBe(false)
    await value('eth_newBlockFilter')
    await expect(ask('eth_newBlockFilter')).rejects.toMatchObject({ code: 'overloaded', rpc: { code: -32005 } })
    expect(typeof (await value('eth_newBlockFilter', [], 'two'))).toBe('string')
  })

  test('a long one counts as several', async () => {
    const { value, ask, open } = scene({ most: 40 })
    const long = { address: Array.from({ length: 700 }, () => address(1)) }
    const id = await value('eth_newFilter', [long])
    expect(open.get('one')).toBe(31)
    await expect(ask('eth_newFilter', [long])).rejects.toMatchObject({ rpc: { code: -32005 } })
    expect(await value('eth_uninstallFilter', [id])).toBe(true)
    expect(open.get('one')).toBe(0)
  })

  test('those that live count from the start, until they expire', async () => {
    const { clock, ask, value, store, open, restart } = scene()
    const ids = [await value('eth_newFilter', [{}]), await value('eth_newBlockFilter')]
    const known = await Promise.all(ids.map((id) => store.get(String(id))))
    open.clear()
    restart(known.map((filter) => filter!))
    expect(open.get('one')).toBe(2)
    await expect(ask('eth_newBlockFilter')).rejects.toMatchObject({ rpc: { code: -32005 } })
    clock.advance(900_000)
    expect(typeof (await value('eth_newBlockFilter'))).toBe('string')
    expect(open.get('one')).toBe(1)
  })

  test('two replicas on one store tell nothing twice', async () => {
    const shared = scene({ delayMs: () => 20 })
    const id = await shared.value('eth_newFilter', [{}])
    const block = shared.chain.grow([log(1, 1)])
    const first = shared.poll(id)
    shared.restart()
    expect((await Promise.all([first, shared.poll(id)])).flat()).toEqual(logObjects(block))
  })

  describe.each(['same', 'other'])(
    'where the store fails as the place moves, polled at the %s replica after that',
    (where) => {
      /** Polls twice: while change `nth` of the store goes wrong, and after that. */
      async function pollTwice(nth: number, how: 'unanswered' | 'undone' | 'slow') {
        let changes = Number.NEGATIVE_INFINITY
        const { clock, chain, value, poll, restart } = scene({
          async putting(put, own) {
            const isFailing = ++changes === nth
            const done = isFailing && how === 'undone' ? false : await put()
            if (!isFailing) return done
            if (how === 'slow') await new Promise<void>((resolve) => own.after(900, resolve))
            else throw new RpcError('unavailable', 'the store cannot be used now')
            return done
          },
        })
        const id = await value('eth_newFilter', [{}])
        const logs = logObjects(chain.grow([log(1, 1), log(1, 2)]))
        changes = 0
        const first = await value('eth_getFilterChanges', [id], 'one', 500).catch(({ code }: RpcError) => code)
        if (where === 'other') restart()
        // The change goes on without its caller.
        if (how === 'slow') await settle(clock, 1_000)
        return { logs, first, second: await poll(id), third: await poll(id) }
      }

      test.each(['unanswered', 'undone'] as const)(
        'before the answer is sure, it fails and loses nothing: %s',
        async (how) => {
          const { logs, first, second, third } = await pollTwice(1, how)
          expect([first, second, third]).toEqual(['unavailable', logs, []])
        },
      )

      test('the answer is given where its place may have moved, and once where it did', async () => {
        const { logs, first, second, third } = await pollTwice(2, 'unanswered')
        expect([first, second, third]).toEqual([logs, [], []])
      })

      test('the answer is given twice at most where its place did not move', async () => {
        const { logs, first, second, third } = await pollTwice(2, 'undone')
        expect([first, second, third]).toEqual([logs, logs, []])
      })

      test.each([1, 2])('a caller whose time is over meanwhile is told with the next poll: change %d', async (nth) => {
        const { logs, first, second, third } = await pollTwice(nth, 'slow')
        expect([first, second, third]).toEqual(['timeout', logs, []])
      })
    },
  )

  test('an id that no filter can have is unknown without a question to the store', async () => {
    const { ask, value, store } = scene()
    store.get = () => Promise.reject(new Error('asked'))
    for (const id of ['', '0x', 'a\0b', '0xA1', `0x${'1'.repeat(33)}`]) {
      for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
        expect((await ask(method, [id])).error?.message).toBe('filter not found')
      expect(await value('eth_uninstallFilter', [id])).toBe(false)
    }
  })

  test('of another process is used only where its project has room here, too', async () => {
    const refused: unknown[] = []
    const { value, ask, open, chain, poll, restart } = scene({ onRefused: (project) => refused.push(project) })
    const ids = [await value('eth_newFilter', [{}]), await value('eth_newFilter', [{}])]
    open.clear()
    restart()
    expect(await poll(ids[0])).toEqual([])
    const block = chain.grow([log(1, 1)])
    const own = await value('eth_newBlockFilter')
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
      await expect(ask(method, [ids[1]])).rejects.toMatchObject({ code: 'overloaded', rpc: { code: -32005 } })
    expect(refused).toEqual(['one', 'one'])
    expect(await value('eth_uninstallFilter', [own])).toBe(true)
    expect(await poll(ids[1])).toEqual(logObjects(block))
  })

  test('is used only while the call that made it would be allowed', async () => {
    const asked: string[] = []
    let isAllowed = true
    const { value, ask, chain, poll } = scene({
      most: 3,
      refusalOf({ method, params }, { tenant }) {
        asked.push(`${tenant} ${method} ${params?.text()}`)
        return isAllowed ? undefined : new RpcError('denied', 'not allowed any more')
      },
      pending: async () => ({ result: rawJsonFromText('[]'), cursor: '' }),
    })
    const ids = [
      await value('eth_newFilter', [{ address: address(1), topics: [] }]),
      await value('eth_newBlockFilter'),
      await value('eth_newPendingTransactionFilter', [true]),
    ]
    for (const id of ids) expect(await poll(id)).toEqual([])
    expect(asked).toEqual([
      `one eth_newFilter [{"address":"${address(1)}","topics":[]}]`,
      'one eth_newBlockFilter []',
      'one eth_newPendingTransactionFilter [true]',
    ])
    const block = chain.grow([log(1, 1)])
    isAllowed = false
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
      await expect(ask(method, [ids[0]])).rejects.toMatchObject({ code: 'denied' })
    isAllowed = true
    expect(await poll(ids[0])).toEqual(logObjects(block))
    isAllowed = false
    expect(await value('eth_uninstallFilter', [ids[0]])).toBe(true)
  })

  test('counts no more after an end beside a question for all its logs', async () => {
    const { clock, value, open } = scene({
      putting: (put, own) => new Promise((resolve) => own.after(40, () => resolve(put()))),
    })
    const id = await value('eth_newFilter', [{}])
    clock.advance(100_000)
    await Promise.allSettled([value('eth_getFilterLogs', [id]), value('eth_uninstallFilter', [id])])
    expect(open.get('one')).toBe(0)
  })

  test('gives all logs of its range, of a filter for logs only', async () => {
    const { chain, value, ask } = scene()
    const block = chain.grow([log(1, 1)])
    const id = await value('eth_newFilter', [{ fromBlock: '0x4b0', toBlock: 'latest' }])
    expect(await value('eth_getFilterLogs', [id])).toEqual(logObjects(block))
    const blocks = await value('eth_newBlockFilter')
    expect((await ask('eth_getFilterLogs', [blocks])).error?.message).toBe('filter not found')
  })
})

describe('pending transactions', () => {
  test('are refused where nobody relays them, else told from their place', async () => {
    const alone = scene()
    expect((await alone.ask('eth_newPendingTransactionFilter')).error?.code).toBe(-32601)
    const asked: unknown[] = []
    const { value, poll } = scene({
      async pending(cursor, full) {
        asked.push([cursor, full])
        return { result: rawJsonFromText('["0xaa"]'), cursor: `${cursor ?? ''}+` }
      },
    })
    const id = await value('eth_newPendingTransactionFilter', [true])
    expect(await poll(id)).toEqual(['0xaa'])
    expect(await poll(id)).toEqual(['0xaa'])
    expect(asked).toEqual([
      [undefined, true],
      ['+', true],
      ['++', true],
    ])
  })
})

test.each([
  ['eth_newFilter', [], 'missing value for required argument 0'],
  ['eth_newFilter', [{}, 1], 'too many arguments, want at most 1'],
  ['eth_newFilter', { address: null }, 'non-array args'],
  ['eth_newFilter', [{ topics: [1] }], 'invalid argument 0: invalid topic(s)'],
  ['eth_newFilter', [{ fromBlock: '0x2', toBlock: '0x1' }], 'invalid block range params'],
  ['eth_newFilter', [{ toBlock: 'finalized' }], 'invalid block range params'],
  ['eth_newFilter', [{ toBlock: 'Safe' }], 'invalid block range params'],
  ['eth_newFilter', [{ toBlock: 'earliest' }], 'invalid block range params'],
  ['eth_newFilter', [{ toBlock: 'pending' }], 'invalid argument 0: pending logs are not supported'],
  [
    'eth_newFilter',
    [{ fromBlock: 7 }],
    'invalid argument 0: json: cannot unmarshal number into Go value of type string',
  ],
  [
    'eth_newFilter',
    [{ blockHash: '0x' }],
    'invalid argument 0: blockHash names one block, which never changes: use eth_getLogs',
  ],
  [
    'eth_newFilter',
    [{ address: Array.from({ length: 1_001 }, () => address(1)) }],
    'invalid argument 0: exceed max addresses or topics per search position',
  ],
  [
    'eth_newFilter',
    [{ topics: Array.from({ length: 2 }, () => Array.from({ length: 500 }, () => `0x${'1'.repeat(64)}`)) }],
    'the filter is longer than 65536 characters: name fewer addresses or topics',
  ],
  ['eth_newBlockFilter', [1], 'too many arguments, want at most 0'],
  ['eth_getFilterChanges', [7], 'invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID'],
  ['eth_uninstallFilter', [], 'missing value for required argument 0'],
])('refuses %s %j', async (method, params, message) => {
  expect(await scene().ask(method, params)).toEqual({ error: { code: -32602, message } })
})

test('passes every other call', async () => {
  expect(await scene().ask('eth_chainId')).toMatchObject({ error: { code: -32601 } })
})
