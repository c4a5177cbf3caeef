import { StoresError } from '../error.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The outcome of taking credits. */
export interface LimitGrant {
  /** The credits taken: as many as wanted, or as many as there are. */
  readonly granted: number
  /** Whole credits left. */
  readonly remaining: number
  /** Milliseconds until the bucket is full again; undefined if it never fills. */
  readonly resetMs: number | undefined
}

/** Hands out the credits of limits that several processes share. Same shape as `LimitAuthority` of `metering`. */
export interface LimitAuthority {
  /**
   * Takes up to `want` whole credits from the bucket `id`, which holds `burst` and fills by `perSecond`; 0: never, as for a day's budget
   * under an id that names the day. It starts full. With a `want` of 0 it only tells what is left. `token` names the question
   * (`<process>:<number>`): the last one of a process, asked again within a minute, is answered as before and takes nothing.
   * @throws StoresError `invalid`, `unavailable`.
   */
  take(id: string, perSecond: number, burst: number, want: number, token?: string): Promise<LimitGrant>
}

/** In credits: the scripts count millionths exactly below 2^53. */
const mostCredits = 9_000_000_000
/** How long a bucket that never fills is kept, in ms: a month's budget must outlive its month. */
const keepBudgetMs = 32 * 86_400_000
/** How long, and of how many processes, the last answer is kept. */
const keepAnswerMs = 60_000
const mostAskers = 256

/**
 * Counts millionths of credits: a credit a second is one of them a microsecond, so all is exact for whole limits. A clock that went
 * back, after a failover, fills nothing until the next call.
 */
const takeScript = defineScript(`
local asker, token = ARGV[5], ARGV[6]
if token ~= '' then
  local said = redis.call('HGET', KEYS[2], asker)
  local before = said and cjson.decode(said)
  if before and before[1] == token then return {before[2], before[3], before[4]} end
end
local limit, burst, want = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000000, tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = burst
if kept[1] then
  left = math.min(burst, tonumber(kept[1]))
  local passed = math.max(0, now - tonumber(kept[2]))
  if limit > 0 and passed >= (burst - left) / limit then left = burst else left = left + passed * limit end
end
local granted = math.min(want, math.floor(left / 1000000))
left = left - granted * 1000000
local reset = -1
local keep = tonumber(ARGV[4])
if limit > 0 then
  reset = math.ceil((burst - left) / limit / 1000)
  keep = reset + 1000
end
redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep))
local remaining = math.floor(left / 1000000)
if token ~= '' then
  if redis.call('HLEN', KEYS[2]) >= ${mostAskers} then redis.call('DEL', KEYS[2]) end
  redis.call('HSET', KEYS[2], asker, cjson.encode({token, granted, remaining, reset}))
  redis.call('PEXPIRE', KEYS[2], ${keepAnswerMs})
end
return {granted, remaining, reset}
`)

export function createRedisLimits(redis: RedisConnection): LimitAuthority {
  return {
    async take(id, perSecond, burst, want, token = '') {
      if (id.length === 0 || id.length > 512) throw invalid('id', 'a text of 1 to 512 characters')
      if (token.length > 512) throw invalid('token', 'a text of at most 512 characters')
      for (const [name, value] of Object.entries({ perSecond, burst, want })) {
        if (!isCredits(value)) throw invalid(name, `a whole number from 0 to ${mostCredits}`)
      }
      const asker = token.slice(0, Math.max(0, token.lastIndexOf(':')))
      const keys = [redis.key(`limit:${id}`, 'credits'), redis.key(`limit:${id}`, 'answers')]
      const reply = await redis.run(takeScript, keys, [perSecond, burst, want, keepBudgetMs, asker, token])
      const [granted, remaining, resetMs] = reply as readonly [number, number, number]
      return { granted, remaining, resetMs: resetMs < 0 ? undefined : resetMs }
    },
  }
}

function isCredits(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= mostCredits
}

function invalid(what: string, expected: string): StoresError {
  return new StoresError('invalid', `${what}: expected ${expected}`)
}
