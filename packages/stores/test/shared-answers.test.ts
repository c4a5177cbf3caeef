import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAnswer, encodeAnswer, type SharedAnswer } from '../src/redis/answer-codec.ts'
import type { RedisConnection } from '../src/redis/redis-connection.ts'
import { createSharedAnswers } from '../src/redis/shared-answers.ts'

const answer: SharedAnswer = { body: '{"a":"é"}', byteLength: 10, isFinal: true }

describe('a value', () => {
  it('gives an answer back as it was', () => {
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    const answers = fc.record({
      body: fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array()),
      encoding: optional(fc.constant('zstd' as const)),
      byteLength: fc.nat(),
      isFinal: fc.boolean(),
      height: optional(fc.nat()),
      hash: optional(fc.string()),
      mark: optional(fc.string()),
    })
    fc.assert(
      fc.property(answers, (each) => {
        expect(decodeAnswer(encodeAnswer(each, 1e6)!)).toEqual(each)
      }),
    )
  })

  it('is a miss where a bit or a part of it is lost, or another wrote it', () => {
    const value = encodeAnswer({ ...answer, height: 7, hash: '0x7' }, 1_000)!
    for (let bit = 0; bit < 8 * value.byteLength; bit++) {
      const damaged = Buffer.from(value)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      expect(decodeAnswer(damaged)).toBeUndefined()
    }
    for (let length = 0; length < value.byteLength; length++)
      expect(decodeAnswer(value.subarray(0, length))).toBeUndefined()
    expect(decodeAnswer(Buffer.from('{"jsonrpc":"2.0"}'))).toBeUndefined()
  })

  it('does not hold on to the buffer that it came in', () => {
    const value = encodeAnswer({ ...answer, body: Uint8Array.of(1, 2, 3) }, 1_000)!
    expect((decodeAnswer(value)!.body as Uint8Array).buffer.byteLength).toBe(3)
  })

  it('is none where it is longer than allowed', () => {
    const { byteLength } = encodeAnswer(answer, 1_000)!
    expect(encodeAnswer(answer, byteLength)).toBeDefined()
    expect(encodeAnswer(answer, byteLength - 1)).toBeUndefined()
    expect(encodeAnswer({ ...answer, mark: 'm'.repeat(65_536) }, 1e6)).toBeUndefined()
  })
})

/** Answers over a Redis that answers when the test says so. */
function scene() {
  const clock = new FakeClock()
  const sent: {
    readonly args: readonly (string | Buffer)[]
    answer(value: unknown): void
    fail(message: string): void
  }[] = []
  let isConnected = true
  const redis = {
    state: () => ({ connected: isConnected }),
    send(_: string, args: readonly (string | Buffer)[]) {
      return new Promise((resolve, reject) => {
        sent.push({ args, answer: resolve, fail: (message) => reject(new Error(message)) })
      })
    },
  } as unknown as RedisConnection
  const answers = createSharedAnswers(redis, 'w', clock)
  return { clock, sent, answers, disconnect: () => (isConnected = false) }
}

describe('a question', () => {
  it('is one command under a name that tells nothing, and is the same for the same key alone', async () => {
    const { sent, answers } = scene()
    const asked = answers.get('mainnet eth_call [{"to":"0xsecret"}]', 2)
    sent[0]!.answer(encodeAnswer(answer, 1_000))
    expect(await asked).toEqual(answer)
    answers.set('mainnet eth_call [{"to":"0xsecret"}]', answer, 1_000)
    void answers.get('mainnet eth_call [{"to":"0xother"}]', 2)
    const names = sent.map(({ args }) => String(args[1]))
    expect(sent.map(({ args }) => args[0])).toEqual(['GETRANGE', 'SET', 'GETRANGE'])
    expect(names[0]).toMatch(/^w:answer:[\w-]{43}$/)
    expect([names[1] === names[0], names[2] === names[0]]).toEqual([true, false])
  })

  it('gives up after its wait, and after three in a row is asked no more but for a trial', async () => {
    const { clock, sent, answers } = scene()
    for (let i = 0; i < 3; i++) {
      const asked = answers.get(`k${i}`, 7)
      await clock.advance(6)
      expect(await Promise.race([asked, 'waits'])).toBe('waits')
      await clock.advance(1)
      expect(await asked).toBeUndefined()
    }
    expect(answers.get('k', 7)).toBeUndefined()
    await clock.advance(100)
    const trial = answers.get('k', 7)
    expect(answers.get('k', 7)).toBeUndefined()
    expect(sent).toHaveLength(4)
    sent[3]!.answer(Buffer.alloc(0))
    expect(await trial).toBeUndefined()
    expect(answers.get('k', 7)).toBeDefined()
  })

  it('of several at once is one command, read once, and each waits for as long as it may', async () => {
    const { clock, sent, answers } = scene()
    const [hasty, ...patient] = [3, 9, 9].map((waitMs) => answers.get('k', waitMs))
    await clock.advance(3)
    expect(await hasty).toBeUndefined()
    sent[0]!.answer(encodeAnswer({ ...answer, body: Uint8Array.of(1, 2, 3) }, 1_000))
    const [one, other] = await Promise.all(patient)
    expect(one).toMatchObject({ body: Uint8Array.of(1, 2, 3) })
    expect(other).toBe(one)
    expect(sent).toHaveLength(1)
    void answers.get('k', 9)
    expect(sent).toHaveLength(2)
  })

  it('is not asked beside 16 MiB that are on their way, by the length of the last answers', async () => {
    const { sent, answers } = scene()
    const value = encodeAnswer({ ...answer, body: new Uint8Array(1_000_000) }, 1_048_576)
    for (let i = 0; i < 40; i++) {
      const asked = answers.get(`${i}`, 2)
      sent[i]!.answer(value)
      await asked
    }
    for (let i = 0; i < 100; i++) void answers.get(`more ${i}`, 2)
    expect(sent).toHaveLength(40 + 17)
  })

  it('is a miss, and Redis well, where something else is kept under the name', async () => {
    const { sent, answers } = scene()
    for (let i = 0; i < 10; i++) {
      const asked = answers.get('k', 2)
      if (i % 2 === 0) sent[i]!.fail('WRONGTYPE Operation against a key')
      else sent[i]!.answer(Buffer.alloc(1_048_577, 'W'))
      expect(await asked).toBeUndefined()
    }
    expect(sent).toHaveLength(10)
  })

  it('is not asked without a connection, nor beside 1,000 others', () => {
    const { sent, answers } = scene()
    for (let i = 0; i < 1_500; i++) void answers.get(`${i}`, 2)
    expect(sent).toHaveLength(1_000)
    expect(answers.get('k', 2)).toBeUndefined()
    const gone = scene()
    gone.disconnect()
    expect(gone.answers.get('k', 2)).toBeUndefined()
    gone.answers.set('k', answer, 1_000)
    expect(gone.sent).toHaveLength(0)
  })
})

describe('an answer', () => {
  it('is kept for as long as told, and a final one for 30 days', () => {
    const { sent, answers } = scene()
    for (const ms of [24_000.7, Number.POSITIVE_INFINITY, 0, Number.NaN]) answers.set('k', answer, ms)
    expect(sent.map(({ args }) => args.slice(3))).toEqual([
      ['PX', '24000'],
      ['PX', '2592000000'],
    ])
  })

  it('is not kept beside 16 MiB that wait, nor beside 1,000 others', async () => {
    const { sent, answers } = scene()
    const long = { ...answer, body: new Uint8Array(1_000_000) }
    for (let i = 0; i < 20; i++) answers.set('k', long, 1_000)
    expect(sent).toHaveLength(16)
    sent[0]!.answer('OK')
    await Promise.resolve()
    answers.set('k', long, 1_000)
    expect(sent).toHaveLength(17)
    const many = scene()
    for (let i = 0; i < 1_200; i++) many.answers.set('k', answer, 1_000)
    expect(many.sent).toHaveLength(1_000)
  })

  it('is not kept for a while where Redis is full, which goes on to answer', async () => {
    const { clock, sent, answers } = scene()
    for (let i = 0; i < 3; i++) {
      answers.set('k', answer, 1_000)
      sent[i]!.fail('OOM command not allowed')
      await clock.advance(0)
    }
    answers.set('k', answer, 1_000)
    expect(sent).toHaveLength(3)
    expect(answers.get('k', 2)).toBeDefined()
    await clock.advance(100)
    answers.set('k', answer, 1_000)
    answers.set('k', answer, 1_000)
    expect(sent).toHaveLength(5)
  })
})
