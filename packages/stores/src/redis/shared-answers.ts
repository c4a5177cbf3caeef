import { createHash } from 'node:crypto'
import { type Clock, createCircuitBreaker } from '@wayleave/jsonrpc-core'
import { decodeAnswer, encodeAnswer, type SharedAnswer } from './answer-codec.ts'
import type { RedisConnection } from './redis-connection.ts'

/** Answers of nodes that processes share. Its loss costs no call: nothing here throws or rejects. */
export interface SharedAnswers {
  /**
   * Reads an answer in one round trip. Resolves within `waitMs`, with undefined where there is none by then; returns undefined at once while
   * Redis is gone or left alone.
   */
  get(key: string, waitMs: number): Promise<SharedAnswer | undefined> | undefined
  /** Keeps an answer for `forMs`, and one that is to be kept for ever for 30 days. Returns at once; one that is too much is not kept. */
  set(key: string, answer: SharedAnswer, forMs: number): void
}

/** A reply as it was read; `isWell`: whether Redis gave it as it should. */
interface Reply {
  readonly answer: SharedAnswer | undefined
  readonly isWell: boolean
}

/** Three failures in a row may be no pause of this process; one success says that Redis is back. */
const breakerOptions = { cooldownMs: 100, maxCooldownMs: 5_000, failures: 3, trials: 1 }
const finalMs = 30 * 24 * 3_600_000
/** The longest value, in bytes: longer ones hold up all others on the connection. */
const mostValueBytes = 1_048_576
/**
 * Questions in flight, and answers being kept: while Redis is silent, they wait until the connection is given up. The bytes of answers that
 * are on their way are guessed by the last ones.
 */
const [mostGets, mostGetBytes] = [1_000, 16 * 1_048_576]
const [mostSets, mostSetBytes] = [1_000, 16 * 1_048_576]
/** The share of the last answer in the guess of the next one's length. */
const lastShare = 1 / 8
/** The end of a wait that comes after the socket was read once more: an answer that has arrived counts, however busy the thread was. */
const lastMs = 1

/** Keeps answers in Redis, each under the hash of its key, so that no name tells params and all are of one length. */
export function createSharedAnswers(redis: RedisConnection, prefix: string, clock: Clock): SharedAnswers {
  // A Redis that is full takes no answers, but gives those that it has.
  const [gets, sets] = [createCircuitBreaker(breakerOptions), createCircuitBreaker(breakerOptions)]
  /** Questions in flight, by name: whoever asks the same meanwhile waits for the same reply. */
  const asked = new Map<string, Promise<Reply>>()
  let guessedBytes = 0
  let [keeping, keepingBytes] = [0, 0]

  const nameOf = (key: string): string => `${prefix}:answer:${createHash('sha256').update(key).digest('base64url')}`

  function ask(name: string): Promise<Reply> | undefined {
    // A longer value is none of ours, whoever wrote it.
    const reply = redis.send(name, ['GETRANGE', name, '0', String(mostValueBytes)])
    if (reply === undefined) return undefined
    const read = reply.then(
      (value): Reply => {
        asked.delete(name)
        const bytes = Buffer.isBuffer(value) ? value : Buffer.alloc(0)
        guessedBytes += (bytes.byteLength - guessedBytes) * lastShare
        return { answer: bytes.byteLength <= mostValueBytes ? decodeAnswer(bytes) : undefined, isWell: true }
      },
      (thrown: unknown): Reply => {
        asked.delete(name)
        return { answer: undefined, isWell: isForeign(thrown) }
      },
    )
    asked.set(name, read)
    return read
  }

  return {
    get(key, waitMs) {
      if (!redis.state().connected) return undefined
      const name = nameOf(key)
      const since = clock.now()
      const known = asked.get(name)
      const isFull = asked.size >= mostGets || asked.size * guessedBytes >= mostGetBytes
      if ((known === undefined && isFull) || !gets.mayCall(since)) return undefined
      const reply = known ?? ask(name)
      if (reply === undefined) {
        gets.failed(since, since)
        return undefined
      }
      return new Promise((resolve) => {
        let isOver = false
        const end = (answer: SharedAnswer | undefined, isWell: boolean): void => {
          if (isOver) return
          isOver = true
          stop()
          if (isWell) gets.succeeded(since, clock.now())
          else gets.failed(since, clock.now())
          resolve(answer)
        }
        let stop = clock.after(Math.max(0, waitMs - lastMs), () => {
          stop = clock.after(lastMs, () => end(undefined, false))
        })
        void reply.then(({ answer, isWell }) => end(answer, isWell))
      })
    },
    set(key, answer, forMs) {
      const since = clock.now()
      if (keeping >= mostSets || !redis.state().connected || !(forMs >= 1) || !sets.mayCall(since)) return
      const value = encodeAnswer(answer, mostValueBytes)
      if (value === undefined || keepingBytes + value.byteLength > mostSetBytes) return
      const name = nameOf(key)
      const reply = redis.send(name, ['SET', name, value, 'PX', String(Math.floor(Math.min(forMs, finalMs)))])
      if (reply === undefined) return sets.failed(since, since)
      keeping++
      keepingBytes += value.byteLength
      const over = (): void => {
        keeping--
        keepingBytes -= value.byteLength
      }
      reply.then(
        () => {
          over()
          sets.succeeded(since, clock.now())
        },
        () => {
          over()
          sets.failed(since, clock.now())
        },
      )
    },
  }
}

/** Whether something else is kept under the name: Redis is well. */
function isForeign(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('WRONGTYPE')
}
