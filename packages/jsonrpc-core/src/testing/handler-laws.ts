import { collectStream } from '../answer-stream.ts'
import { CallContext, createContext, type RpcContext } from '../context.ts'
import { systemClock } from '../defaults.ts'
import { RpcError } from '../error.ts'
import type { RpcHandler } from '../handler.ts'
import { isStream, rawJsonFromText } from '../raw-json.ts'
import type { RpcResponse } from '../response.ts'
import type { RawJson } from '../wire.ts'
import { createScriptedPeer, type PeerAction, type ScriptedPeer } from './scripted-peer.ts'

/** One law, for any test runner: `it(law.name, law.run)`. */
export interface HandlerLaw {
  readonly name: string
  run(): Promise<void>
}

export interface HandlerLawsOptions {
  /** Makes a fresh handler whose far side is `peer`. */
  create(peer: ScriptedPeer): RpcHandler
  /** A read of the handler's world. Default `eth_chainId`. */
  readonly read?: string
  /** A write. Default `eth_sendRawTransaction`. */
  readonly write?: string
}

/** Makes the tests that every handler must pass, whatever it is made of: transports, pools and middleware run them. */
export function handlerLaws(options: HandlerLawsOptions): readonly HandlerLaw[] {
  const { create, read = 'eth_chainId', write = 'eth_sendRawTransaction' } = options
  const piece = `"${'a'.repeat(100_000)}"`
  const oddJson = '{"big":12345678901234567890,"huge":1e400,"zero":-0,"twice":1,"twice":2,"escaped":"\\u0041"}'

  function scene(act: (method: string) => PeerAction): Scene {
    const peer = createScriptedPeer(act)
    const handler = create(peer)
    return {
      peer,
      call: (method, context) => handler({ method, params: rawJsonFromText('[]'), notification: false }, context),
    }
  }

  return [
    {
      name: "passes the peer's result byte for byte",
      async run() {
        const { call } = scene(() => ({ kind: 'answer', body: `"result":${oddJson}` }))
        const result = await resultOf(call(read, createContext()))
        expect(result.text() === oddJson, `the result came as ${result.text()}`)
      },
    },
    {
      name: "resolves with the peer's error",
      async run() {
        const { call } = scene(() => ({
          kind: 'answer',
          body: '"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}',
        }))
        const { error } = await call(read, createContext())
        expect(
          error?.code === 3 && error.message === 'execution reverted' && error.data === '0x08c379a0',
          'the error was changed',
        )
      },
    },
    {
      name: 'settles by its deadline when the peer is silent',
      async run() {
        const { call } = scene(() => ({ kind: 'hang' }))
        const why = await rejectionOf(call(read, createContext({ timeoutMs: 30 })))
        expect(why.code === 'timeout', `it rejected as ${why.code}`)
      },
    },
    {
      name: 'settles by its deadline when the answer stops half-way, and frees it',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'stall' }))
        const why = await rejectionOf(call(read, createContext({ timeoutMs: 30 })))
        expect(why.code === 'timeout', `it rejected as ${why.code}`)
        expect(peer.openBodies === 0, 'a body is still open')
      },
    },
    {
      name: 'rejects when its caller aborts',
      async run() {
        const { call } = scene(() => ({ kind: 'hang' }))
        const context = createContext()
        const rejected = rejectionOf(call(read, context))
        context.cancel(new RpcError('aborted', 'the test aborts'))
        expect((await rejected).code === 'aborted', 'it rejected for another reason')
      },
    },
    {
      name: 'asks no peer for a call that was cancelled before',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'answer', body: '"result":1' }))
        const context = createContext()
        context.cancel(new RpcError('aborted', 'the test aborts'))
        await rejectionOf(call(read, context))
        expect(peer.calls.length === 0, 'the peer was asked')
      },
    },
    {
      name: 'rejects with an RpcError when the peer drops the connection',
      async run() {
        const { call } = scene(() => ({ kind: 'drop' }))
        await rejectionOf(call(read, createContext({ timeoutMs: 2_000 })))
      },
    },
    {
      name: 'never repeats a write of unknown delivery',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'drop' }))
        const why = await rejectionOf(call(write, createContext({ timeoutMs: 2_000 })))
        expect(peer.calls.length === 1, `the write was sent ${peer.calls.length} times`)
        expect(why.delivery === 'unknown', 'a write that was sent must not be called not_sent')
      },
    },
    {
      name: 'serves the next call after a dropped one',
      async run() {
        let dropped = false
        const { call } = scene(() => {
          if (dropped) return { kind: 'answer', body: '"result":1' }
          dropped = true
          return { kind: 'drop' }
        })
        await rejectionOf(call(write, createContext({ timeoutMs: 2_000 })))
        const result = await resultOf(call(write, createContext({ timeoutMs: 2_000 })))
        expect(result.text() === '1', `the result came as ${result.text()}`)
      },
    },
    {
      name: 'gives each call its own answer, whichever comes first',
      async run() {
        let release = (): void => {}
        const gate = new Promise<void>((resolve) => {
          release = resolve
        })
        const { call } = scene((method) => ({
          kind: 'answer',
          body: `"result":"${method}"`,
          ...(method === read ? { when: gate } : {}),
        }))
        const methods = [read, write, 'law_a', 'law_b']
        const results = Promise.all(
          methods.map((method) => resultOf(call(method, createContext({ timeoutMs: 2_000 })))),
        )
        await aMoment()
        release()
        const answers = (await results).map((result) => result.text()).join()
        expect(answers === methods.map((method) => `"${method}"`).join(), `the answers were ${answers}`)
      },
    },
    {
      name: 'lets a caller leave without taking another along',
      async run() {
        let release = (): void => {}
        const gate = new Promise<void>((resolve) => {
          release = resolve
        })
        const { call } = scene(() => ({ kind: 'answer', body: '"result":1', when: gate }))
        const leaver = createContext({ timeoutMs: 2_000 })
        const left = rejectionOf(call(read, leaver))
        const stayed = resultOf(call(read, createContext({ timeoutMs: 2_000 })))
        await aMoment()
        leaver.cancel(new RpcError('aborted', 'the test aborts'))
        expect((await left).code === 'aborted', 'it rejected for another reason')
        release()
        expect((await stayed).text() === '1', 'the other call got another answer')
      },
    },
    {
      name: 'forgets its caller when it has settled',
      async run() {
        const actions: PeerAction[] = [
          { kind: 'answer', body: '"result":1' },
          { kind: 'answer', body: '"error":{"code":3,"message":""}' },
          { kind: 'drop' },
        ]
        for (const action of actions) {
          const { call } = scene(() => action)
          const context = new WatchedContext({ clock: systemClock, deadline: systemClock.now() + 2_000 })
          await call(read, context).then(undefined, () => {})
          await aMoment()
          context.release()
          expect(context.listeners === 0, `${context.listeners} listeners stay on the caller's context`)
        }
      },
    },
    {
      name: 'never shares what a caller may change',
      async run() {
        const { call } = scene(() => ({ kind: 'answer', body: '"result":{"list":[1]}' }))
        const result = await resultOf(call(read, createContext()))
        const mine = result.parse() as { list: number[] }
        mine.list.push(2)
        expect(JSON.stringify(result.parse()) === '{"list":[1]}', 'a copy was shared')
        expect(JSON.stringify(result.value()) === '{"list":[1]}', 'the shared value was changed')
      },
    },
    {
      name: 'frees a stream that is not read',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'stream', piece, count: 4 }))
        const { result } = await call(read, createContext({ acceptStream: true }))
        expect(result !== undefined, 'no result came')
        if (result !== undefined && isStream(result)) result.cancel()
        await aMoment()
        expect(peer.openBodies === 0, 'a body is still open')
      },
    },
    {
      name: 'passes a stream whole and frees it at its end',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'stream', piece, count: 4 }))
        const { result } = await call(read, createContext({ acceptStream: true }))
        expect(result !== undefined, 'no result came')
        const text = isStream(result!) ? (await collectStream(result, 1_000_000)).text() : result!.text()
        expect(text === `[${[piece, piece, piece, piece].join(',')}]`, 'the value was changed')
        await aMoment()
        expect(peer.openBodies === 0, 'a body is still open')
      },
    },
    {
      name: 'ends a stream with its caller',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'stream', piece, count: 8 }))
        const context = createContext({ acceptStream: true })
        const { result } = await call(read, context)
        expect(result !== undefined, 'no result came')
        const rest = isStream(result!) ? result[Symbol.asyncIterator]() : undefined
        await rest?.next()
        context.cancel(new RpcError('aborted', 'the test aborts'))
        const outcome: unknown = await readOn(rest).catch((why: unknown) => why)
        expect(rest === undefined || outcome instanceof RpcError, `reading on gave ${String(outcome)}`)
        await aMoment()
        expect(peer.openBodies === 0, 'a body is still open')
      },
    },
    {
      name: 'gives a whole value to whoever takes no stream',
      async run() {
        const { peer, call } = scene(() => ({ kind: 'stream', piece, count: 4 }))
        const result = await resultOf(call(read, createContext()))
        expect(result.byteLength === 400_013, `${result.byteLength} bytes came`)
        expect(peer.openBodies === 0, 'a body is still open')
      },
    },
  ]
}

interface Scene {
  readonly peer: ScriptedPeer
  call(method: string, context: RpcContext): Promise<RpcResponse>
}

/** A context that counts who listens to it. */
class WatchedContext extends CallContext {
  listeners = 0

  override onCancel(listener: (why: RpcError) => void): () => void {
    const forget = super.onCancel(listener)
    let counted = true
    this.listeners++
    return () => {
      if (counted) this.listeners--
      counted = false
      forget()
    }
  }
}

function aMoment(): Promise<unknown> {
  return new Promise((resolve) => void systemClock.after(5, () => resolve(undefined)))
}

async function readOn(source: AsyncIterator<unknown> | undefined): Promise<void> {
  let done = source === undefined
  while (!done) done = (await source!.next()).done === true
}

async function resultOf(response: Promise<RpcResponse>): Promise<RawJson> {
  const { result } = await response
  if (result === undefined || isStream(result)) throw new Error('a whole result was expected')
  return result
}

async function rejectionOf(response: Promise<RpcResponse>): Promise<RpcError> {
  const outcome: unknown = await response.then(
    () => new Error('it resolved'),
    (why: unknown) => why,
  )
  if (!(outcome instanceof RpcError))
    throw new Error(`a rejection with an RpcError was expected, not: ${String(outcome)}`)
  return outcome
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
