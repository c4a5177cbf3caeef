import {
  type CallContext,
  coalesce,
  createContext,
  isStream,
  rawJsonFromText,
  type RawJsonStream,
  RpcError,
  type RpcContext,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { bytes, call, resultText } from '../support.ts'

const gone = new RpcError('aborted', 'the caller left')
const read = call('read')

interface Flight {
  readonly context: RpcContext
  land(response: RpcResponse): Promise<void>
  crash(why: unknown): Promise<void>
}

/** The handler below the middleware: each call that arrives is a flight that the test lands. */
function scene(options: { readonly maxSharedBytes?: number } = {}) {
  const clock = new FakeClock()
  const flights: Flight[] = []
  const below: RpcHandler = (_request, context) =>
    new Promise((resolve, reject) => {
      context.onCancel(reject)
      flights.push({
        context,
        land: async (response) => void (resolve(response), await settled()),
        crash: async (why) => void (reject(why), await settled()),
      })
    })
  const key = ({ method, params }: { method: string; params?: { text(): string } | undefined }): string | undefined =>
    method === 'read' ? `${method}${params?.text() ?? ''}` : undefined
  const handler = coalesce({ key, clock, ...options })(below)
  const context = (timeoutMs = 100, acceptStream = false): CallContext =>
    createContext({ clock, timeoutMs, acceptStream })
  return { clock, flights, handler, context }
}

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))
const one: RpcResponse = { result: rawJsonFromText('1') }
const outcome = (response: Promise<RpcResponse>): Promise<string> =>
  response.then(resultText, (why: unknown) => (why instanceof RpcError ? why.code : String(why)))

describe('equal calls in flight', () => {
  it('are one call, and each gets its answer', async () => {
    const { flights, handler, context } = scene()
    const answers = [handler(read, context()), handler(read, context()), handler(read, context())]
    expect(flights).toHaveLength(1)
    await flights[0]!.land(one)
    expect(await Promise.all(answers.map(outcome))).toEqual(['1', '1', '1'])
  })

  it('share a failure, whatever it is', async () => {
    const { flights, handler, context } = scene()
    const answers = [handler(read, context()), handler(read, context())].map(outcome)
    await flights[0]!.crash(new Error('a bug'))
    expect(await Promise.all(answers)).toEqual(['Error: a bug', 'Error: a bug'])
  })

  it('are never an answer of the past', async () => {
    const { flights, handler, context } = scene()
    const first = handler(read, context())
    await flights[0]!.land(one)
    await first
    void handler(read, context()).catch(() => {})
    expect(flights).toHaveLength(2)
  })

  it('without a key, or with another one, are not shared', () => {
    const { flights, handler, context } = scene()
    for (const request of [call('write'), call('write'), read, call('read', [1])])
      void handler(request, context()).catch(() => {})
    expect(flights).toHaveLength(4)
  })
})

describe('a caller who leaves', () => {
  it('takes nobody along, even when he was first', async () => {
    const { flights, handler, context } = scene()
    const leader = context()
    const left = outcome(handler(read, leader))
    const stays = outcome(handler(read, context()))
    leader.cancel(gone)
    expect(await left).toBe('aborted')
    expect(flights[0]!.context.cancelled).toBeUndefined()
    await flights[0]!.land(one)
    expect(await stays).toBe('1')
  })

  it('ends the call when he is the last', async () => {
    const { flights, handler, context } = scene()
    const contexts = [context(), context()]
    const answers = contexts.map((own) => outcome(handler(read, own)))
    contexts[0]!.cancel(gone)
    expect(flights[0]!.context.cancelled).toBeUndefined()
    contexts[1]!.cancel(gone)
    expect(flights[0]!.context.cancelled).toBe(gone)
    expect(await Promise.all(answers)).toEqual(['aborted', 'aborted'])
  })

  it('leaves room for another flight, which the end of his own does not touch', async () => {
    const { flights, handler, context } = scene()
    const leaver = context()
    const left = outcome(handler(read, leaver))
    leaver.cancel(gone)
    const second = outcome(handler(read, context()))
    expect(flights).toHaveLength(2)
    await left
    await settled()
    // The first flight has ended by now; the second must still be the one to join.
    const third = outcome(handler(read, context()))
    expect(flights).toHaveLength(2)
    await flights[1]!.land(one)
    expect(await Promise.all([second, third])).toEqual(['1', '1'])
  })

  it('before he comes asks nobody', async () => {
    const { flights, handler, context } = scene()
    const cancelled = context()
    cancelled.cancel(gone)
    expect(await outcome(handler(read, cancelled))).toBe('aborted')
    expect(flights).toHaveLength(0)
  })
})

describe('the deadline', () => {
  it('is that of the latest caller; each leaves at his own', async () => {
    const { clock, flights, handler, context } = scene()
    const early = outcome(handler(read, context(50)))
    const late = outcome(handler(read, context(200)))
    expect(flights[0]!.context.deadline).toBe(clock.now() + 200)
    clock.advance(50)
    expect(await early).toBe('timeout')
    expect(flights[0]!.context.cancelled).toBeUndefined()
    clock.advance(150)
    expect(await late).toBe('timeout')
    expect(flights[0]!.context.cancelled?.code).toBe('timeout')
    expect(clock.timers).toBe(0)
  })

  it('of the last caller ends in the words of the handler below, which knows how the time went', async () => {
    const clock = new FakeClock()
    const below: RpcHandler = (_request, context) =>
      new Promise((_resolve, reject) => {
        context.onCancel((cause) => reject(new RpcError('timeout', '2 were silent', { cause })))
      })
    const handler = coalesce({ key: () => 'k', clock })(below)
    const own = createContext({ clock, timeoutMs: 100 })
    const why = handler(read, own).catch((thrown: unknown) => thrown)
    clock.advance(100)
    expect(await why).toMatchObject({ code: 'timeout', message: '2 were silent', cause: own.cancelled })
    expect(clock.timers).toBe(0)
  })

  it('ends the call also where the handler below is deaf', async () => {
    const clock = new FakeClock()
    const handler = coalesce({ key: () => 'k', clock })(() => new Promise(() => {}))
    const late = outcome(handler(read, createContext({ clock, timeoutMs: 100 })))
    clock.advance(100)
    clock.advance(50)
    expect(await late).toBe('timeout')
    expect(clock.timers).toBe(0)
  })
})

describe('a handler below that breaks the contract', () => {
  it('by throwing at once leaves nobody waiting', async () => {
    let calls = 0
    const broken = coalesce({ key: () => 'k', clock: new FakeClock() })(() => {
      calls++
      throw new Error('a bug')
    })
    for (let i = 0; i < 2; i++) expect(() => broken(read, createContext())).toThrowError('a bug')
    expect(calls).toBe(2)
  })

  it('by answering with nothing rejects everybody', async () => {
    const { flights, handler, context } = scene()
    const answers = [handler(read, context()), handler(read, context())].map(outcome)
    await flights[0]!.land(undefined as never)
    expect(await Promise.all(answers)).toEqual([
      expect.stringContaining('TypeError'),
      expect.stringContaining('TypeError'),
    ])
  })
})

describe('a stream', () => {
  function stream(chunks: readonly (string | Promise<string>)[]): RawJsonStream & { cancelled: number } {
    const source = chunks.values()
    const iterator: AsyncIterator<Uint8Array> = {
      async next() {
        const { done, value } = source.next()
        return done === true ? { done, value: undefined } : { done: false, value: bytes(await value) }
      },
    }
    return {
      streaming: true,
      cancelled: 0,
      cancel() {
        this.cancelled++
      },
      [Symbol.asyncIterator]: () => iterator,
    }
  }
  const forever = new Promise<string>(() => {})

  it('is passed to the only caller, and ends with him', async () => {
    const { flights, handler, context } = scene()
    const own = context(100, true)
    const answer = handler(read, own)
    expect(flights[0]!.context.acceptStream).toBe(true)
    const result = stream(['1'])
    await flights[0]!.land({ result })
    expect((await answer).result).toBe(result)
    own.cancel(gone)
    expect(flights[0]!.context.cancelled).toBe(gone)
  })

  it('is held for two callers', async () => {
    const { flights, handler, context } = scene()
    const answers = [handler(read, context(100, true)), handler(read, context(100, true))]
    await flights[0]!.land({ result: stream(['[1,', '2]']) })
    const [a, b] = await Promise.all(answers)
    expect(isStream(a!.result!)).toBe(false)
    expect(resultText(a!)).toBe('[1,2]')
    expect(b!.result).toBe(a!.result)
  })

  it('is held for a caller who takes none, though the first one would have', async () => {
    const { flights, handler, context } = scene()
    const leader = context(100, true)
    const left = outcome(handler(read, leader))
    const stays = handler(read, context())
    leader.cancel(gone)
    await left
    await flights[0]!.land({ result: stream(['[', ']']) })
    expect(resultText(await stays)).toBe('[]')
  })

  it('that is being held is not joined, and its end does not touch the next flight', async () => {
    const { flights, handler, context } = scene()
    let release = (_text: string): void => {}
    const rest = new Promise<string>((resolve) => {
      release = resolve
    })
    const first = [handler(read, context(100, true)), handler(read, context())]
    await flights[0]!.land({ result: stream(['[', rest]) })
    const second = handler(read, context())
    expect(flights).toHaveLength(2)
    release(']')
    expect(await Promise.all(first.map(outcome))).toEqual(['[]', '[]'])
    const third = handler(read, context())
    expect(flights).toHaveLength(2)
    await flights[1]!.land(one)
    expect(await Promise.all([second, third].map(outcome))).toEqual(['1', '1'])
  })

  it('that is being held ends with the last of its callers', async () => {
    const { flights, handler, context } = scene()
    const contexts = [context(), context()]
    const answers = contexts.map((own) => outcome(handler(read, own)))
    const result = stream(['[', forever])
    await flights[0]!.land({ result })
    contexts[0]!.cancel(gone)
    expect(result.cancelled).toBe(0)
    contexts[1]!.cancel(gone)
    expect(result.cancelled).toBe(1)
    expect(flights[0]!.context.cancelled).toBe(gone)
    expect(await Promise.all(answers)).toEqual(['aborted', 'aborted'])
  })

  it('that comes when everybody has left is let go of', async () => {
    const clock = new FakeClock()
    let land = (_response: RpcResponse): void => {}
    const deaf: RpcHandler = () => new Promise((resolve) => (land = resolve))
    const handler = coalesce({ key: () => 'k', clock })(deaf)
    const own = createContext({ clock })
    const left = outcome(handler(read, own))
    own.cancel(gone)
    await left
    const result = stream(['1'])
    land({ result })
    await settled()
    expect(result.cancelled).toBe(1)
  })

  it('longer than may be shared fails its callers', async () => {
    const { flights, handler, context } = scene({ maxSharedBytes: 3 })
    const answers = [handler(read, context()), handler(read, context())].map(outcome)
    await flights[0]!.land({ result: stream(['"12', '34"']) })
    expect(await Promise.all(answers)).toEqual(['too_large', 'too_large'])
  })
})

it('a flight tells its tenants, those of later callers too, to whoever is below it, also by a fork', async () => {
  const clock = new FakeClock()
  const tenants: (string | undefined)[] = []
  const below: RpcHandler = async (_request, context) => {
    const fork = context.fork({})
    tenants.push(fork.context.tenant)
    fork.context.onTenant?.((tenant) => void tenants.push(tenant))
    await settled()
    return one
  }
  const handler = coalesce({ key: () => 'one', clock })(below)
  const ask = (tenant?: string) => handler(read, createContext({ clock, timeoutMs: 100, tenant }))
  await Promise.all([ask('a'), ask('a'), ask('b'), ask('b'), ask()])
  expect(tenants).toEqual(['a', 'b', undefined])
})
