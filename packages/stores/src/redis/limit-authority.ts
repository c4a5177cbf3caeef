import { createHash } from 'node:crypto'
import { StoresError } from '../error.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The outcome of taking credits. */
export interface LimitGrant {
  /** The credits taken: as many as wanted, or as many as there are. */
  readonly granted: number
  /** Whole credits left. */
  readonly remaining: number
}

/** Hands out the credits of limits that several processes share. Fits `LimitAuthority` of `metering`. */
export interface LimitAuthority {
  /**
   * Takes up to `want` whole credits from the bucket `id`, which holds `burst` and fills by `perSecond`; 0: never, as for a day's quota
   * under an id that names the day. It starts full. With a `want` of 0 it only tells what is left. `token` names the question
   * (`<process>:<number>`): the last one of a process, asked again, takes nothing, and is told what it took before and what is left by now.
   * @throws StoresError `invalid`, `unavailable`.
   */
  take(id: string, perSecond: number, burst: number, want: number, token?: string): Promise<LimitGrant>
}

/** A bucket that fills is counted in millionths, exactly below 2^53. */
const mostBurst = 9_000_000_000
/** One that does not, in whole credits. */
const mostQuota = 1_000_000_000_000
/** How long a bucket that never fills is kept, in ms: a month's quota must outlive its month. */
const keepQuotaMs = 32 * 86_400_000
/** How long at least, and of how many processes, the last answer of a bucket is kept: until the bucket is full again. */
const keepAnswerMs = 60_000
const mostAskers = 64
/** Longer ids are kept under their digest. */
const mostIdLength = 256

/**
 * Counts millionths of credits: a credit a second is one of them a microsecond, so all is exact for whole limits. A clock that went
 * back, after a failover, fills nothing until the next call. Of a quota it counts what was spent, so that a larger one gives more at once.
 */
const takeScript = defineScript(`
local limit, burst, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local asker, token = ARGV[4], ARGV[5]
local before
if token ~= '' then
  local said = redis.call('HGET', KEYS[2], asker)
  before = said and cjson.decode(said)
  if before and before[1] == token then want = 0 else before = nil end
end
local granted, remaining
local keep = ${keepQuotaMs}
if limit == 0 then
  local spent = tonumber(redis.call('HGET', KEYS[1], 'spent') or '0')
  granted = math.max(0, math.min(want, burst - spent))
  remaining = math.max(0, burst - spent - granted)
  redis.call('HSET', KEYS[1], 'spent', string.format('%.0f', spent + granted))
else
  burst = burst * 1000000
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
  local left = burst
  if kept[1] then
    left = math.min(burst, tonumber(kept[1]))
    local passed = math.max(0, now - tonumber(kept[2]))
    if passed >= (burst - left) / limit then left = burst else left = left + passed * limit end
  end
  granted = math.min(want, math.floor(left / 1000000))
  left = left - granted * 1000000
  remaining = math.floor(left / 1000000)
  keep = math.ceil((burst - left) / limit / 1000) + 1000
  redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left), 'at', string.format('%.0f', now))
end
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep))
if token ~= '' then
  if redis.call('HEXISTS', KEYS[2], asker) == 0 and redis.call('HLEN', KEYS[2]) >= ${mostAskers} then
    redis.call('HDEL', KEYS[2], redis.call('HKEYS', KEYS[2])[1])
  end
  if before then granted = before[2] else redis.call('HSET', KEYS[2], asker, cjson.encode({token, granted})) end
  redis.call('PEXPIRE', KEYS[2], string.format('%.0f', math.max(keep, ${keepAnswerMs})))
end
return {granted, remaining}
`)

export function createRedisLimits(redis: RedisConnection): LimitAuthority {
  return {
    async take(id, perSecond, burst, want, token = '') {
      if (id === '') throw invalid('id', 'a text')
      if (token.length > 512) throw invalid('token', 'a text of at most 512 characters')
      const most = perSecond === 0 ? mostQuota : mostBurst
      for (const [name, value] of Object.entries({ perSecond, burst, want })) {
        if (!Number.isSafeInteger(value) || value < 0 || value > most) {
          throw invalid(name, `a whole number from 0 to ${most}`)
        }
      }
      const asker = token.slice(0, Math.max(0, token.lastIndexOf(':')))
      const tag = `limit:${id.length <= mostIdLength ? id : createHash('sha256').update(id).digest('hex')}`
      const keys = [redis.key(tag, 'credits'), redis.key(tag, 'answers')]
      const reply = await redis.run(takeScript, keys, [perSecond, burst, want, asker, token])
      const [granted, remaining] = reply as readonly [number, number]
      return { granted, remaining }
    },
  }
}

function invalid(what: string, expected: string): StoresError {
  return new StoresError('invalid', `${what}: expected ${expected}`)
}
