import {
  type Clock,
  createContext,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { createSpecVersion } from '../../src/kinds/spec-version.ts'
import { rejectionOf } from '../support.ts'

/** A node whose version can change, under a clock that is told the time. */
function scene(reported: unknown, answer?: RpcHandler) {
  const state = { reported, now: 0, asked: 0, newer: [] as string[] }
  const clock: Clock = { ...systemClock, now: () => state.now }
  const node: RpcHandler = async (request, context) => {
    state.asked++
    return answer?.(request, context) ?? { result: rawJsonFromValue(state.reported) }
  }
  const version = createSpecVersion(node, { clock, onNewer: (newer) => state.newer.push(newer) })
  const current = async (): Promise<unknown> => {
    const context = createContext({ clock, timeoutMs: 30_000 })
    try {
      return await version.current(context)
    } finally {
      context.release()
    }
  }
  return { state, version, current }
}

describe('the version of a node', () => {
  it('is not asked for before the first call, and then once for all who wait', async () => {
    const { state, version, current } = scene('0.8.1')
    expect([state.asked, version.known]).toEqual([0, undefined])
    expect(await Promise.all([current(), current(), current()])).toEqual(['0.8', '0.8', '0.8'])
    expect([state.asked, version.known]).toEqual([1, '0.8'])
  })

  it('is asked again after five minutes: an upgrade is noticed', async () => {
    const { state, current } = scene('0.8.1')
    await current()
    state.reported = '0.9.0'
    state.now += 299_999
    expect(await current()).toBe('0.8')
    state.now += 1
    expect(await current()).toBe('0.9')
    expect(state.asked).toBe(2)
  })

  it('is asked again where it is doubted, but not within ten seconds', async () => {
    const { state, version, current } = scene('0.8.1')
    await current()
    state.reported = '0.9.0'
    state.now += 9_999
    version.doubt()
    expect(await current()).toBe('0.8')
    state.now += 1
    version.doubt()
    expect(await current()).toBe('0.9')
    expect(await current()).toBe('0.9')
    expect(state.asked).toBe(2)
  })

  it.each(['0.11.0', '0.12.1-rc.0'])(
    'is taken for the newest known one where it is %s, which is told once',
    async (reported) => {
      const { state, current } = scene(reported)
      expect(await current()).toBe('0.10')
      state.now += 300_000
      expect(await current()).toBe('0.10')
      expect(state.newer).toEqual([reported])
    },
  )

  it.each([
    ['0.4.0', 'got 0.4.0'],
    ['1.0.0', 'got 1.0.0'],
    ['', 'got something else'],
    [8, 'got something else'],
    ['S3CR3T of a node', 'got something else'],
  ])('is not known where the node says %j, and nothing of a call was sent', async (reported, got) => {
    const why = await rejectionOf(scene(reported).current())
    expect(why).toMatchObject({ code: 'invalid_response', delivery: 'not_sent' })
    expect(why.message).toBe(`starknet_specVersion: expected a version of the Starknet RPC from 0.5.1 on, ${got}`)
  })

  it('is not known where the node answers an error', async () => {
    const { current } = scene(undefined, async () => ({ error: { code: -32601, message: 'S3CR3T' } }))
    expect((await rejectionOf(current())).message).toMatch(/got error -32601$/)
  })

  it('is what it was where the node tells no more than an error, and asked again in its time', async () => {
    const { state, version, current } = scene('0.8.1', async () =>
      state.reported === undefined
        ? { error: { code: -32005, message: 'limit' } }
        : { result: rawJsonFromValue(state.reported) },
    )
    await current()
    state.reported = undefined
    state.now += 10_000
    version.doubt()
    expect([await current(), await current(), state.asked]).toEqual(['0.8', '0.8', 2])
    state.reported = '0.9.0'
    state.now += 300_000
    expect(await current()).toBe('0.9')
  })

  it('is learnt in the background, once: never again of who told, after five minutes of who did not', async () => {
    const { state, version } = scene('S3CR3T')
    for (const now of [0, 0, 299_999, 300_000]) {
      state.now = now
      version.learn()
      await new Promise(setImmediate)
    }
    expect([state.asked, version.known]).toEqual([2, undefined])
    state.reported = '0.9.0'
    for (const now of [600_000, 900_000, 1_200_000]) {
      state.now = now
      version.learn()
      await new Promise(setImmediate)
    }
    expect([state.asked, version.known]).toEqual([3, '0.9'])
  })

  it.each(['connect', 'timeout', 'disconnected', 'http_status'] as const)(
    'is not known where the node fails (%s), which says why and may be tried again',
    async (code) => {
      const { state, current } = scene('0.8.1', async () => {
        if (state.asked === 1) throw new RpcError(code, 'failed', { httpStatus: 429, retryAfterMs: 7 })
        return { result: rawJsonFromValue('0.8.1') }
      })
      const expected = { code, message: 'failed', delivery: 'not_sent', httpStatus: 429, retryAfterMs: 7 }
      expect(await rejectionOf(current())).toMatchObject(expected)
      expect(await current()).toBe('0.8')
    },
  )

  it('is waited for no longer than two seconds, or a quarter of a call', async () => {
    const waits: number[] = []
    const silent: RpcHandler = (_request, context) =>
      new Promise((_resolve, reject) => void context.onCancel((why) => reject(why)))
    const clock: Clock = {
      ...systemClock,
      now: () => 0,
      after: (ms, run) => {
        waits.push(ms)
        return systemClock.after(ms === 30_000 || ms === 4_000 ? 1_000_000 : 1, run)
      },
    }
    for (const timeoutMs of [30_000, 4_000]) {
      const version = createSpecVersion(silent, { clock, onNewer: () => {} })
      const context = createContext({ clock, timeoutMs })
      expect(await rejectionOf(version.current(context))).toMatchObject({ code: 'timeout', delivery: 'not_sent' })
      context.release()
    }
    // Whoever waits may tell what it waited for, 20 ms later.
    expect(waits.filter((ms) => ms !== 20)).toEqual([30_000, 2_000, 4_000, 1_000])
  })
})
