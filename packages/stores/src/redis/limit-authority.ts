import { StoresError } from '../error.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The outcome of taking credits. */
export interface LimitGrant {
  /** The credits taken: as many as wanted, or as many as there are. Negative where some were given back. */
  readonly granted: number
  /** Whole credits left. */
  readonly remaining: number
  /** Milliseconds until the bucket is full again; undefined if it never fills. */
  readonly resetMs: number | undefined
}

/** Hands out the credits of limits that several processes share. Same shape as `LimitAuthority` of `metering`. */
export interface LimitAuthority {
  /**
   * Takes up to `want` credits from the bucket `id`, which holds `burst` and fills by `limit` a second; 0: never, as for a day's budget
   * under an id that names the day. It starts full. A negative `want` gives credits back. @throws StoresError `invalid`, `unavailable`.
   */
  take(id: string, limit: number, burst: number, want: number): Promise<LimitGrant>
}

/** In credits: the scripts count millionths exactly below 2^53. */
const mostCredits = 9_000_000_000
/** How long a bucket that never fills is kept, in ms: a month's budget must outlive its month. */
const keepBudgetMs = 40 * 86_400_000

/**
 * Counts millionths of credits: a credit a second is one of them a microsecond, so all is exact for whole limits. A clock that went
 * back, after a failover, fills nothing until the next call.
 */
const takeScript = defineScript(`
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
local granted = want
if want > 0 then granted = math.min(want, math.max(0, math.floor(left / 1000000))) end
left = math.min(burst, left - granted * 1000000)
local reset = -1
local keep = tonumber(ARGV[4])
if limit > 0 then
  reset = math.ceil((burst - left) / limit / 1000)
  keep = reset + 1000
end
redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep))
return {granted, math.floor(left / 1000000), reset}
`)

export function createRedisLimits(redis: RedisConnection): LimitAuthority {
  return {
    async take(id, limit, burst, want) {
      if (id.length === 0 || id.length > 512) throw invalid('id', 'a text of 1 to 512 characters')
      if (!isCredits(limit)) throw invalid('limit', `a whole number from 0 to ${mostCredits}`)
      if (!isCredits(burst)) throw invalid('burst', `a whole number from 0 to ${mostCredits}`)
      if (!isCredits(Math.abs(want)))
        throw invalid('want', `a whole number up to ${mostCredits}, or down to minus that`)
      const reply = await redis.run(
        takeScript,
        [redis.key(`limit:${id}`, 'credits')],
        [limit, burst, want, keepBudgetMs],
      )
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
