import {
  createContext,
  createRpcServer,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcSession,
  type RpcSink,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import { FakeClock, handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import {
  createLimits,
  createMemoryAuthority,
  createPrices,
  createUsage,
  type LimitAuthority,
  meter,
  type MeteredCaller,
  type Plan,
  refusalOf,
  type UsageRow,
} from '@wayleave/metering'
import { describe, expect, it } from 'vitest'

const answer: RpcHandler = async () => ({ result: rawJsonFromText('"0x1"') })
const requestOf = (method: string, params = '[]'): RpcRequest => ({
  method,
  params: rawJsonFromText(params),
  notification: false,
})

/** One process, or one of two at an authority whose answers take 2 ms. */
function scene(plan: Plan | undefined, next: RpcHandler = answer, isShared = false) {
  const clock = new FakeClock()
  const memory = createMemoryAuthority({ clock })
  let isSilent = false
  const authority: LimitAuthority = {
    take(...question) {
      if (isSilent) return new Promise(() => {})
      const grant = memory.take(...question)
      return new Promise((resolve) => void clock.after(2, () => resolve(grant)))
    },
  }
  const shared = isShared ? { authority, process: 'a', share: () => 1 / 2 } : undefined
  const rows: UsageRow[] = []
  const usage = createUsage({ clock, add: (some) => void rows.push(...some), flush: async () => {} })
  const methods = new Set(['eth_call', 'eth_chainId', 'eth_getBlockReceipts', 'eth_subscribe', 'eth_subscription'])
  const caller: MeteredCaller = {
    kind: 'evm',
    visitor: '192.0.2.1',
    limiter: createLimits({ clock, shared }).of({ id: 'k', plan }, { id: 'p' }),
    recorder: usage.recorder({ project: 'p', key: 'k', network: 'mainnet' }, methods),
  }
  const metered = meter<RpcContext>({
    prices: createPrices(),
    clock,
    callerOf: () => caller,
    statusOf: ({ code, httpStatus }) => (code === 'aborted' ? 499 : code === 'denied' ? 403 : (httpStatus ?? 502)),
  })(next)
  return {
    clock,
    metered,
    silence() {
      isSilent = true
    },
    async advance(ms: number) {
      for (let i = 0; i < ms; i++) {
        clock.advance(1)
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      }
    },
    left: () => Number(/"key-day";r=(\d+)/.exec(caller.limiter!.fields('eth_call', '')!.limit)?.[1]),
    async rows() {
      await usage.flush()
      return rows.map(({ method, status, calls, credits }) => ({ method, status, calls, credits }))
    },
  }
}

const day = (credits: number): Plan => ({ perDay: { credits } })

describe('the middleware', () => {
  it('debits on admission, before the answer is there', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const at = scene(day(1_000), async (request, context) => {
      await gate
      return answer(request, context)
    })
    const answered = at.metered(requestOf('eth_call'), createContext())
    expect(at.left()).toBe(920)
    expect(await at.rows()).toEqual([])
    release()
    await answered
    expect(at.left()).toBe(920)
    expect(await at.rows()).toEqual([{ method: 'eth_call', status: '2xx', calls: 1, credits: 80 }])
  })

  it.each([
    ['denied', 5, '4xx'],
    ['aborted', 1_000, '4xx'],
    ['unavailable', 0, '5xx'],
  ] as const)('settles a call that ends as %s at %i credits', async (code, cost, status) => {
    const at = scene(day(10_000), () => Promise.reject(new RpcError(code, 'no answer')))
    await expect(at.metered(requestOf('eth_getBlockReceipts'), createContext())).rejects.toThrow('no answer')
    expect(at.left()).toBe(10_000 - cost)
    expect(await at.rows()).toEqual([{ method: 'eth_getBlockReceipts', status, calls: 1, credits: cost }])
  })

  it('charges a JSON-RPC error of a node as an answer', async () => {
    const at = scene(day(1_000), async () => ({ error: { code: 3, message: 'execution reverted' } }))
    await at.metered(requestOf('eth_call'), createContext())
    expect(at.left()).toBe(920)
  })

  it('settles a handler that throws at once', async () => {
    const at = scene(day(1_000), () => {
      throw new RpcError('unavailable', 'thrown')
    })
    await expect(at.metered(requestOf('eth_call'), createContext())).rejects.toThrow('thrown')
    expect(at.left()).toBe(1_000)
  })

  it('refuses without asking the handler, and tells the host why', async () => {
    let asked = 0
    const at = scene(day(80), (request, context) => {
      asked++
      return answer(request, context)
    })
    await at.metered(requestOf('eth_call'), createContext())
    const why = await at
      .metered(requestOf('eth_call'), createContext())
      .then(undefined, (error: unknown) => error as RpcError)
    expect(asked).toBe(1)
    expect(why).toMatchObject({ code: 'denied', delivery: 'not_sent', httpStatus: 429, retryAfterMs: undefined })
    expect(refusalOf(why as RpcError)).toMatchObject({ limit: { scope: 'key', window: 'day' } })
    expect(refusalOf(new RpcError('denied', 'by somebody else'))).toBeUndefined()
    expect(await at.rows()).toEqual([
      { method: 'eth_call', status: '2xx', calls: 1, credits: 80 },
      { method: 'eth_call', status: '4xx', calls: 1, credits: 0 },
    ])
  })

  it('answers each element of a batch for itself, with -32005 beyond the limit', async () => {
    const at = scene(day(85))
    const serve = createRpcServer(at.metered)
    const body = JSON.stringify(
      ['eth_call', 'eth_call', 'eth_chainId'].map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] })),
    )
    const reply = await serve(new TextEncoder().encode(body), createContext())
    const text = typeof reply.body === 'string' ? reply.body : Buffer.concat(reply.body as Uint8Array[]).toString()
    const answers = JSON.parse(text) as { id: number; result?: string; error?: { code: number; message: string } }[]
    expect(answers.map(({ id, result, error }) => [id, result ?? error!.code])).toEqual([
      [0, '0x1'],
      [1, -32005],
      [2, '0x1'],
    ])
    expect(answers[1]!.error!.message).toContain('daily request count exceeded')
  })

  it('passes calls that it need not meter', async () => {
    const metered = meter({
      prices: createPrices(),
      clock: new FakeClock(),
      callerOf: () => undefined,
      statusOf: () => 500,
    })(answer)
    expect((await metered(requestOf('eth_call'), createContext())).result).toBeDefined()
  })
})

describe('pushed events', () => {
  /** Subscribes, and returns what pushes an event to the caller. */
  async function subscribed(plan: Plan, kind: string) {
    let push: (event: string) => boolean = () => false
    let reach = (): void => {}
    const at = scene(plan, async () => ({
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(sink) {
          push = (event) => sink.event('eth_subscription', rawJsonFromText(event))
          reach = () => sink.reached?.({ height: 7 })
          return () => {}
        },
      },
    }))
    const closes: (readonly unknown[])[] = []
    const session: RpcSession = {
      subscriptions: new Map(),
      sendEvent: () => true,
      onClose: () => () => {},
      close: (...why) => void closes.push(why),
    }
    const { subscription } = (await at.metered(
      requestOf('eth_subscribe', `["${kind}"]`),
      createContext({ session }),
    )) as {
      subscription: { open(sink: unknown): void }
    }
    const places: unknown[] = []
    let passed = 0
    subscription.open({
      event: () => ++passed > 0,
      gap() {},
      end() {},
      reached: (place: unknown) => places.push(place),
    })
    return { ...at, push: (event: string) => push(event), reach: () => reach(), passed: () => passed, places, closes }
  }
  /** Subscribes to heads at one of two processes. `sink` is the source's. */
  async function shared(credits: number) {
    let sink: RpcSink | undefined
    const next: RpcHandler = async () => ({
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(given) {
          sink = given
          return () => void reported.push('left')
        },
      },
    })
    const at = scene(day(credits), next, true)
    const reported: string[] = []
    const session: RpcSession = {
      subscriptions: new Map(),
      sendEvent: () => true,
      onClose: () => () => {},
      close: (reason) => void reported.push(reason),
    }
    const opening = at.metered(requestOf('eth_subscribe', '["newHeads"]'), createContext({ session }))
    await at.advance(300)
    const { subscription } = (await opening) as { subscription: RpcSubscription }
    const leave = subscription.open({
      event: (_, result) => reported.push(result.text()) > 0,
      gap: () => void reported.push('gap'),
      end: (why) => void reported.push(why === undefined ? 'end' : `end ${why.code}: ${why.reason}`),
      reached: ({ height }) => void reported.push(`reached ${height}`),
    })
    return { ...at, reported, sink: sink!, leave }
  }
  const log = (block: number): string =>
    JSON.stringify({ blockHash: `0x${String(block).padStart(64, '0')}`, logIndex: '0x0' })

  it('of heads cost 50 each, beside the 5 of the subscription', async () => {
    const at = await subscribed(day(1_000), 'newHeads')
    at.push('{}')
    at.push('{}')
    expect(at.left()).toBe(1_000 - 5 - 100)
    expect(await at.rows()).toContainEqual({ method: 'eth_subscription', status: '2xx', calls: 2, credits: 100 })
  })

  it('of logs cost 300 once a block', async () => {
    const at = await subscribed(day(1_000), 'logs')
    for (const block of [1, 1, 1, 2]) at.push(log(block))
    expect(at.left()).toBe(1_000 - 5 - 600)
  })

  it('cost nothing where they only say how far all was told', async () => {
    const at = await subscribed(day(1_000), 'logs')
    at.reach()
    expect(at.places).toEqual([{ height: 7 }])
    expect(at.left()).toBe(1_000 - 5)
  })

  it('of pending transactions cost 200 once in 750 ms', async () => {
    const at = await subscribed(day(1_000), 'newPendingTransactions')
    for (let i = 0; i < 9; i++) {
      at.push('"0x0"')
      at.clock.advance(100)
    }
    expect(at.left()).toBe(1_000 - 5 - 400)
  })

  it('of blocks that are not sealed cost as those of sealed ones', async () => {
    const logs = await subscribed(day(1_000), 'pendingLogs')
    // The hash of a block that is not sealed changes with each of its parts.
    for (let i = 0; i < 6; i++)
      logs.push(`{"blockHash":"0x${String(i).repeat(64)}","blockNumber":"0x${i < 4 ? 1 : 2}"}`)
    expect(logs.left()).toBe(1_000 - 5 - 600)
    const transactions = await subscribed(day(1_000), 'newFlashblockTransactions')
    for (let i = 0; i < 3; i++) transactions.push('"0x0"')
    expect(transactions.left()).toBe(1_000 - 5 - 200)
    const parts = await subscribed(day(1_000), 'newFlashblocks')
    for (let i = 0; i < 3; i++) parts.push('{}')
    expect(parts.left()).toBe(1_000 - 5 - 150)
  })

  it('close the session for its quota when that is spent, and say when it resets', async () => {
    const at = await subscribed(day(105), 'newHeads')
    at.push('{}')
    expect(at.closes).toEqual([])
    at.push('{}')
    expect(at.closes).toEqual([['quota', expect.stringContaining('daily request count exceeded')]])
  })

  it('are not pushed once the quota was spent before them', async () => {
    const at = await subscribed(day(100), 'newHeads')
    // The second one spends it.
    for (let i = 0; i < 4; i++) at.push('{}')
    expect([at.passed(), at.left()]).toEqual([2, 0])
    expect(at.closes).toHaveLength(1)
    expect(await at.rows()).toContainEqual({ method: 'eth_subscription', status: '2xx', calls: 2, credits: 100 })
  })

  it('wait for their credits in turn, with all that comes behind them, and end with the quota of all processes', async () => {
    const at = await shared(120)
    expect(at.sink.event('eth_subscription', rawJsonFromText('1'))).toBe(false)
    expect(at.sink.event('eth_subscription', rawJsonFromText('2'))).toBe(false)
    at.sink.reached!({ height: 7 })
    at.sink.gap({ reason: 'the node was away' })
    const drained = at.sink.drained!()
    for (const event of ['3', '4']) at.sink.event('eth_subscription', rawJsonFromText(event))
    at.sink.end()
    expect(at.reported).toEqual([])
    await at.advance(10)
    await drained
    // The third one has 15 credits left; the fourth has none.
    expect(at.reported).toEqual(['1', '2', 'reached 7', 'gap', '3', 'quota', 'end'])
    expect(await at.rows()).toContainEqual({ method: 'eth_subscription', status: '2xx', calls: 3, credits: 150 })
  })

  it('are not pushed to a caller who left while they waited', async () => {
    const at = await shared(1_000)
    for (const event of ['1', '2', '3']) at.sink.event('eth_subscription', rawJsonFromText(event))
    at.leave()
    await at.advance(10)
    expect(at.reported).toEqual(['left'])
    expect(await at.rows()).toContainEqual({ method: 'eth_subscription', status: '2xx', calls: 1, credits: 50 })
  })

  it('wait for no longer than the authority is silent for, and no event is lost', async () => {
    const at = await shared(10_000)
    at.silence()
    for (const event of ['1', '2', '3']) at.sink.event('eth_subscription', rawJsonFromText(event))
    await at.advance(1_001)
    expect(at.reported).toEqual(['1', '2', '3'])
  })

  it.each([
    ['events', 8_194, '1'],
    ['bytes of events', 10, `"${'x'.repeat(1_048_576)}"`],
  ])('end their subscription with its reason where too many %s wait for their credits', async (_what, count, event) => {
    const at = await shared(10_000)
    at.silence()
    for (let i = 1; i < count; i++) at.sink.event('eth_subscription', rawJsonFromText(event))
    expect(at.reported).toEqual([])
    for (let i = 0; i < 3; i++) expect(at.sink.event('eth_subscription', rawJsonFromText(event))).toBe(false)
    at.sink.end()
    at.leave()
    await at.advance(1_001)
    expect(at.reported).toEqual(['left', 'end overloaded: subscribe again'])
  })

  it.each([
    ['their credits cannot be asked for', () => Promise.reject(new RpcError('timeout', 'late')), 'timeout'],
    ['their credits break', () => Promise.reject(new Error('broken')), 'unavailable'],
    ['their reader breaks', async () => undefined, 'unavailable'],
  ])('end their subscription where %s', async (_what, charge, code) => {
    const clock = new FakeClock()
    const limiter = createLimits({ clock }).of({ id: 'k', plan: day(1_000) }, { id: 'p' })
    let source: RpcSink | undefined
    let left = 0
    const subscription: RpcSubscription = {
      id: '0x1',
      open(sink) {
        source = sink
        return () => void left++
      },
    }
    const metered = meter<RpcContext>({
      prices: createPrices(),
      clock,
      callerOf: () => ({ kind: 'evm', visitor: '', limiter: { ...limiter, charge }, recorder: undefined }),
      statusOf: () => 502,
    })(async () => ({ result: rawJsonFromText('"0x1"'), subscription }))
    const answered = await metered(requestOf('eth_subscribe', '["newHeads"]'), createContext())
    const { subscription: opened } = answered as { subscription: RpcSubscription }
    const ends: (RpcError | undefined)[] = []
    opened.open({
      event() {
        throw new Error('broken')
      },
      gap() {},
      end: (why) => void ends.push(why),
    })
    for (const event of ['1', '2']) source!.event('eth_subscription', rawJsonFromText(event))
    await source!.drained!()
    expect(ends).toEqual([expect.objectContaining({ code })])
    expect(left).toBe(1)
  })

  it('put a rate into debt, and close nothing', async () => {
    const at = await subscribed({ perSecond: { credits: 60 } }, 'newHeads')
    for (let i = 0; i < 5; i++) at.push('{}')
    expect(at.closes).toEqual([])
    await expect(at.metered(requestOf('eth_call'), createContext())).rejects.toMatchObject({ retryAfterMs: 5_000 })
  })
})

describe('the metered handler', () => {
  const prices = createPrices()
  const clock = new FakeClock()
  const limiter = createLimits({ clock }).of({ id: 'k', plan: { perDay: { credits: 1_000_000 } } }, { id: 'p' })
  const caller: MeteredCaller = { kind: 'evm', visitor: '', limiter, recorder: undefined }
  const laws = handlerLaws({
    create: (peer) =>
      meter<RpcContext>({ prices, clock, callerOf: () => caller, statusOf: () => 502 })(peerHandler(peer)),
  })
  it.each(laws.map((law) => [law.name, law] as const))('%s', (_, law) => law.run())
})
