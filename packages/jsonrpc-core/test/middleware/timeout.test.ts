import { collectStream, createContext, isStream, type RpcError, timeout } from '@wayleave/jsonrpc-core'
import { createScriptedPeer, FakeClock, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { call, resultText } from '../support.ts'

const piece = `"${'a'.repeat(1_000)}"`

it('ends what takes longer, and leaves its caller be', async () => {
  const clock = new FakeClock()
  const peer = createScriptedPeer(() => ({ kind: 'hang' }))
  const context = createContext({ clock, timeoutMs: 10_000 })
  const rejected = timeout(100, { clock })(peerHandler(peer))(call('m'), context).catch((why: RpcError) => why)
  clock.advance(100)
  expect(await rejected).toMatchObject({ code: 'timeout' })
  expect(context.cancelled).toBeUndefined()
  context.release()
  expect(clock.timers).toBe(0)
})

it('makes no timer where its caller waits no longer', async () => {
  const clock = new FakeClock()
  const peer = createScriptedPeer(() => ({ kind: 'answer', body: '"result":1', when: Promise.resolve() }))
  const context = createContext({ clock, timeoutMs: 100 })
  const response = timeout(100, { clock })(peerHandler(peer))(call('m'), context)
  expect(clock.timers).toBe(1)
  expect(resultText(await response)).toBe('1')
  context.release()
})

it('does not cut a stream that began in time', async () => {
  const clock = new FakeClock()
  const peer = createScriptedPeer(() => ({ kind: 'stream', piece, count: 3 }))
  const context = createContext({ clock, timeoutMs: 10_000, acceptStream: true })
  const { result } = await timeout(100, { clock })(peerHandler(peer))(call('m'), context)
  expect(result !== undefined && isStream(result)).toBe(true)
  clock.advance(5_000)
  expect((await collectStream(result as never, 10_000)).text()).toBe(`[${[piece, piece, piece].join()}]`)
  context.release()
})

it("ends a stream by its caller's deadline", async () => {
  const clock = new FakeClock()
  const peer = createScriptedPeer(() => ({ kind: 'stream', piece, count: 3 }))
  const context = createContext({ clock, timeoutMs: 10_000, acceptStream: true })
  await timeout(100, { clock })(peerHandler(peer))(call('m'), context)
  expect(peer.openBodies).toBe(1)
  clock.advance(10_000)
  expect(peer.openBodies).toBe(0)
})
