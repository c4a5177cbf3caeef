import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { createTokenSource, type TokenProvider } from '../../src/credentials/token-source.ts'

/** A token that expires so many ms from the start of the clock, and tells its number. */
function tokenOf(number: number, startsAt: number, lifetimeMs?: number): string {
  const claims = lifetimeMs === undefined ? { number } : { number, exp: (startsAt + lifetimeMs) / 1_000 }
  return `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`
}

function begin(provide: (number: number, clock: FakeClock) => unknown) {
  const clock = new FakeClock(0)
  const calls: AbortSignal[] = []
  const provider: TokenProvider = ({ signal }) => provide(calls.push(signal), clock) as string
  return { clock, calls, source: createTokenSource(provider, clock) }
}

describe('the source of a fixed token', () => {
  it('gives it at once, and has no other', () => {
    const source = createTokenSource('a.b.c')
    expect([source.take(), source.refuse('a.b.c'), source.take()]).toEqual(['a.b.c', false, 'a.b.c'])
  })
})

describe('the source of provided tokens', () => {
  it('asks once for all who wait, and no more while the token lasts', async () => {
    const { clock, calls, source } = begin((number) => tokenOf(number, 1_700_000_000_000, 600_000))
    const taken = await Promise.all([source.take(), source.take(), source.take()])
    expect([new Set(taken).size, calls.length]).toEqual([1, 1])
    expect(source.take()).toBe(taken[0])
    clock.advance(569_000)
    expect(source.take()).toBe(taken[0])
  })

  it.each([
    [600_000, 570_000],
    [50_000, 40_000],
  ])('asks again before a token of %d ms expires', async (lifetimeMs, renewedMs) => {
    const { clock, calls, source } = begin((number, now) => tokenOf(number, now.date(), lifetimeMs))
    const first = await source.take()
    clock.advance(renewedMs - 1)
    expect(source.take()).toBe(first)
    clock.advance(1)
    expect(await source.take()).not.toBe(first)
    expect(calls).toHaveLength(2)
  })

  it('asks again for one that was refused, and then waits a second if that one is refused, too', async () => {
    const { clock, calls, source } = begin((number) => tokenOf(number, 0))
    const first = await source.take()
    expect(source.refuse(first)).toBe(true)
    const second = await source.take()
    expect(second).not.toBe(first)
    // A late refusal of the first one costs nothing.
    expect([source.refuse(first), source.take()]).toEqual([true, second])
    expect([source.refuse(second), source.take(), calls.length]).toEqual([false, second, 2])
    clock.advance(1_000)
    expect(await source.take()).not.toBe(second)
    expect(calls).toHaveLength(3)
  })

  it('asks at most once a second for tokens that have expired already', async () => {
    const { clock, calls, source } = begin((number, now) => tokenOf(number, now.date(), -5_000))
    const first = await source.take()
    expect(source.take()).toBe(first)
    clock.advance(1_000)
    expect(await source.take()).not.toBe(first)
    expect(calls).toHaveLength(2)
  })

  it.each<[what: string, provide: () => unknown, message: string]>([
    [
      'throws',
      () => {
        throw new Error('no S3CR3T')
      },
      'token: the provider failed: see cause',
    ],
    ['rejects', () => Promise.reject(new Error('no S3CR3T')), 'token: the provider failed: see cause'],
    [
      'returns no text',
      () => ({ token: 'S3CR3T' }),
      'token: expected a JWT of 1 to 8192 printable ASCII characters from the provider',
    ],
    [
      'returns two lines',
      () => 'S3CR3T\n',
      'token: expected a JWT of 1 to 8192 printable ASCII characters from the provider',
    ],
  ])('says so if the provider %s, and asks again after a second', async (_what, provide, message) => {
    const { clock, calls, source } = begin(provide)
    const failure = await Promise.resolve(source.take()).then(undefined, (thrown: unknown) => thrown)
    expect(failure).toMatchObject({ name: 'RpcError', code: 'unavailable', delivery: 'not_sent', message })
    const { stack } = failure as Error
    expect([message, String(stack), String(failure), JSON.stringify(failure)].join('')).not.toContain('S3CR3T')
    expect(() => source.take()).toThrow(message)
    expect(calls).toHaveLength(1)
    clock.advance(1_000)
    await expect(source.take()).rejects.toThrow(message)
    expect(calls).toHaveLength(2)
  })

  it('waits ten seconds for the provider, and tells him when they are over', async () => {
    const { clock, calls, source } = begin(() => new Promise(() => {}))
    const taken = Promise.resolve(source.take())
    clock.advance(9_999)
    expect(calls[0]!.aborted).toBe(false)
    clock.advance(1)
    await expect(taken).rejects.toThrow('token: the provider did not return one within 10000 ms')
    expect([calls[0]!.aborted, clock.timers]).toEqual([true, 0])
  })

  it('sends the last token while it is valid if its successor cannot be had, but no refused one', async () => {
    const { clock, source } = begin((number, now) => {
      if (number > 1) throw new Error('down')
      return tokenOf(number, now.date(), 600_000)
    })
    const first = await source.take()
    clock.advance(580_000)
    expect(await source.take()).toBe(first)
    expect(source.take()).toBe(first)
    clock.advance(20_000)
    await expect(source.take()).rejects.toThrow('the provider failed')
    const other = begin((number) => {
      if (number > 1) throw new Error('down')
      return tokenOf(number, 0)
    })
    const refused = await other.source.take()
    other.source.refuse(refused)
    await expect(other.source.take()).rejects.toThrow('the provider failed')
    expect(() => other.source.take()).toThrow('the provider failed')
  })
})
