import { inspect } from 'node:util'
import { createClient } from '@redis/client'
import { openRedisAnswers, type RedisAnswers, type SharedAnswer } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const answer: SharedAnswer = { body: '"0x1"', byteLength: 5, isFinal: false, height: 7, hash: '0x7', mark: 'proven' }
/** A wait that only a Redis that does not answer can exceed, on however busy a machine. */
const long = 20_000

it('refuses what is no URL of Redis or no prefix, without repeating it', async () => {
  for (const options of [{ url: 'http://user:secret@host' }, { url: 'redis://host', prefix: 'a {secret}' }]) {
    const error: unknown = await openRedisAnswers(options).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'StoresError' })
    expect(inspect(error, { depth: 10 })).not.toContain('secret')
  }
})

it('opens where nobody listens, and keeps nothing', async () => {
  await using answers = await openRedisAnswers({ url: 'redis://127.0.0.1:1' })
  expect(answers.state()).toMatchObject({ connected: false, fault: 'unreachable' })
  answers.set('k', answer, 1_000)
  expect(answers.get('k', long)).toBeUndefined()
})

describe.skipIf(isOptional && missingRedis() !== undefined)('a server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis('--maxmemory', '16mb', '--maxmemory-policy', 'noeviction')
  })
  afterAll(() => server?.stop())

  async function open(prefix: string): Promise<RedisAnswers> {
    const answers = await openRedisAnswers({ url: server.url, prefix })
    await expect.poll(() => answers.state().connected, { interval: 5 }).toBe(true)
    return answers
  }

  /** Sends commands of its own. */
  async function withRedis(work: (send: (...args: string[]) => Promise<unknown>) => Promise<void>): Promise<void> {
    const client = createClient({ url: server.url })
    client.on('error', () => {})
    await client.connect()
    await work((...args) => client.sendCommand(args))
    client.destroy()
  }

  it('gives one process what another one kept, until its time is over', async () => {
    await using one = await open('share')
    await using other = await open('share')
    await using stranger = await open('other')
    const bytes = { ...answer, body: new Uint8Array(300_000).fill(7), encoding: 'zstd' as const, byteLength: 9e6 }
    one.set('text', answer, 60_000)
    one.set('bytes', bytes, Number.POSITIVE_INFINITY)
    await expect.poll(() => other.get('bytes', long)).toEqual(bytes)
    expect(await other.get('text', long)).toEqual(answer)
    expect(await other.get('none', long)).toBeUndefined()
    expect(await stranger.get('text', long)).toBeUndefined()
    await withRedis(async (send) => {
      const names = (await send('KEYS', 'share:answer:*')) as string[]
      const left = (await Promise.all(names.map((name) => send('PTTL', name)))) as number[]
      const [short, forEver] = left.toSorted((a, b) => a - b)
      expect(names).toHaveLength(2)
      expect(short).toBeLessThanOrEqual(60_000)
      expect(forEver).toBeGreaterThan(29 * 24 * 3_600_000)
      await Promise.all(names.map((name) => send('PEXPIRE', name, '1')))
    })
    await expect.poll(() => other.get('text', long)).toBeUndefined()
  })

  it('misses what was evicted, cut short, overwritten or is of another kind, and keeps it anew', async () => {
    await using answers = await open('foreign')
    const spoil = [['DEL'], ['SETRANGE', '20', '?'], ['SET', 'WLA1'], ['APPEND', '?']] as const
    for (const [command, ...args] of [...spoil, ['hash']]) {
      answers.set('k', answer, 60_000)
      await expect.poll(() => answers.get('k', long)).toEqual(answer)
      await withRedis(async (send) => {
        const [name] = (await send('KEYS', 'foreign:answer:*')) as [string]
        if (command !== 'hash') return void (await send(command!, name, ...args))
        await send('DEL', name)
        await send('HSET', name, 'a', 'b')
      })
      expect(await answers.get('k', long)).toBeUndefined()
    }
    answers.set('k', answer, 60_000)
    await expect.poll(() => answers.get('k', long)).toEqual(answer)
  })

  it('that is full takes no more, and gives what it has', async () => {
    await using answers = await open('full')
    answers.set('k', answer, 60_000)
    await expect.poll(() => answers.get('k', long)).toEqual(answer)
    const body = new Uint8Array(1_000_000)
    for (let i = 0; i < 30; i++) {
      answers.set(`k${i}`, { ...answer, body }, 60_000)
      expect(await answers.get('k', long)).toEqual(answer)
    }
    expect(await answers.get('k29', long)).toBeUndefined()
    await withRedis(async (send) => void (await send('FLUSHALL')))
  })

  it('that is frozen is waited for no longer than told, and used again once it answers', async () => {
    await using answers = await open('frozen')
    answers.set('k', answer, 60_000)
    await expect.poll(() => answers.get('k', long)).toEqual(answer)
    await server.freeze(async () => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => answers.get('k', 2)))
      expect(outcomes.every((outcome) => outcome === undefined)).toBe(true)
      expect(answers.get('k', long)).toBeUndefined()
      await expect.poll(() => answers.state(), { timeout: 10_000 }).toMatchObject({ connected: false, fault: 'silent' })
    })
    await expect.poll(() => answers.get('k', long), { timeout: 10_000 }).toEqual(answer)
  })

  it('that comes back empty is filled again', async () => {
    await using answers = await open('restart')
    answers.set('k', answer, 60_000)
    await expect.poll(() => answers.get('k', long)).toEqual(answer)
    await server.restart(async () => {
      await expect.poll(() => answers.state().connected).toBe(false)
      answers.set('k', answer, 60_000)
      expect(answers.get('k', long)).toBeUndefined()
    })
    await expect.poll(() => answers.state().connected, { timeout: 10_000 }).toBe(true)
    expect(await answers.get('k', long)).toBeUndefined()
    answers.set('k', answer, 60_000)
    await expect.poll(() => answers.get('k', long)).toEqual(answer)
  })
})
