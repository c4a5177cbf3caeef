import { createHash } from 'node:crypto'
import type { KnownSpent, LimitAuthority, LimitGrant } from '@wayleave/metering'
import type { Clock } from '@wayleave/jsonrpc-core'
import { StoresError } from '../error.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The processes that share limits. */
export interface LimitProcesses {
  /** The most that were counted in the last 10 s, this one included; while Redis is gone, those counted before. At least 1. */
  count(): number
  /** Has the others no longer count this one. */
  leave(): Promise<void>
}

/** Keeps limits that several processes share, and counts these. */
export interface RedisLimits extends LimitAuthority {
  /** A question without a `token` is not recognized when it comes again. @throws StoresError `invalid`, `unavailable`. */
  take(
    id: string,
    perSecond: number,
    burst: number,
    want: number,
    token?: string,
    known?: KnownSpent,
    undivided?: number,
    keepMs?: number,
  ): Promise<LimitGrant>
  /** Counts a process among those that share limits, until it leaves or was silent for 10 s. Resolves when Redis has answered, or failed to. */
  join(process: string): Promise<LimitProcesses>
}

/** A bucket that fills is counted in millionths, exactly below 2^53. */
const mostBurst = 9_000_000_000
/** A bucket that does not is counted in whole credits. */
const mostQuota = 1_000_000_000_000
/** How long at most a bucket that never fills is kept, in ms: a month's quota must outlive its month. */
const keepQuotaMs = 32 * 86_400_000
/** How long at least, and of how many processes, the last answer of a bucket is kept: until the bucket is full again. */
const keepAnswerMs = 60_000
const mostAskers = 64
/** Longer ids are kept under their digest. */
const mostIdLength = 256
/** How long a process counts that is silent, and how long a smaller number waits: Redis may have been restarted, empty. In ms. */
const keepProcessMs = 10_000
const countEveryMs = 1_000

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
local epoch = ''
local keep = tonumber(ARGV[9])
if limit == 0 then
  local kept = redis.call('HMGET', KEYS[1], 'told', 'owed', 'least', 'spent', 'epoch', 'reader')
  local told, owed = tonumber(kept[1] or '0'), tonumber(kept[2] or '0')
  local least, spent = tonumber(kept[3] or '0'), tonumber(kept[4] or '0')
  epoch = kept[5]
  if not epoch then
    local time = redis.call('TIME')
    epoch = time[1] .. '.' .. time[2]
  end
  local known = tonumber(ARGV[6])
  local first = known and not before and ARGV[7] ~= epoch
  local new = told + owed + least + spent == 0
  local fromStore = first and ARGV[7] == '' and (new or kept[6] == asker)
  if first and ARGV[7] ~= '' then told = math.max(told, known) end
  if fromStore and new then
    least = known
    redis.call('HSET', KEYS[1], 'reader', asker)
  end
  if want < 0 then granted = math.max(want, -math.max(told + owed, least) - spent)
  else
    local left = burst - math.max(told + owed, least) - spent
    if want > left then granted = math.max(0, math.min(want - tonumber(ARGV[8]), left)) else granted = want end
  end
  if first and granted > 0 then owed = owed + granted else spent = spent + granted end
  if fromStore and granted > 0 then least = least + granted end
  remaining = math.max(0, burst - math.max(told + owed, least) - spent)
  local function text(count) return string.format('%.0f', count) end
  redis.call('HSET', KEYS[1], 'told', text(told), 'owed', text(owed), 'least', text(least), 'spent', text(spent), 'epoch', epoch)
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
  local whole = math.floor(left / 1000000)
  if want > whole then granted = math.max(0, math.min(want - tonumber(ARGV[8]), whole)) else granted = want end
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
return {granted, remaining, epoch}
`)

/** Notes or removes a process, and counts those that were noted lately. */
const countScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local changed
if ARGV[2] == 'leave' then
  changed = redis.call('ZREM', KEYS[1], ARGV[1])
else
  changed = redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${keepProcessMs}))
redis.call('PEXPIRE', KEYS[1], ${keepProcessMs})
if changed == 1 then redis.call('PUBLISH', ARGV[3], cjson.encode({'processes', ARGV[1]})) end
return redis.call('ZCARD', KEYS[1])
`)

export function createRedisLimits(redis: RedisConnection, clock: Clock): RedisLimits {
  return {
    async take(id, perSecond, burst, want, token = '', known = undefined, undivided = 0, keepMs = keepQuotaMs) {
      if (id === '') throw invalid('id', 'a text')
      if (token.length > 512) throw invalid('token', 'a text of at most 512 characters')
      const most = perSecond === 0 ? mostQuota : mostBurst
      for (const [name, value] of Object.entries({ perSecond, burst, want })) {
        const least = name === 'want' && perSecond === 0 ? -most : 0
        if (!Number.isSafeInteger(value) || value < least || value > most) {
          throw invalid(name, `a whole number from ${least} to ${most}`)
        }
      }
      if (known !== undefined && !(Number.isSafeInteger(known.credits) && known.credits >= 0)) {
        throw invalid('known.credits', 'a whole number, 0 or more')
      }
      if (!Number.isSafeInteger(keepMs) || keepMs < 1) throw invalid('keepMs', 'a whole number above 0')
      const asker = token.slice(0, Math.max(0, token.lastIndexOf(':')))
      const tag = `limit:${id.length <= mostIdLength ? id : createHash('sha256').update(id).digest('hex')}`
      const keys = [redis.key(tag, 'credits'), redis.key(tag, 'answers')]
      const reported = known === undefined ? ['', ''] : [known.credits, known.epoch]
      const asked = [perSecond, burst, want, asker, token, ...reported, undivided, Math.min(keepMs, keepQuotaMs)]
      const reply = await redis.run(takeScript, keys, asked)
      const [granted, remaining, epoch] = reply as readonly [number, number, string]
      return known === undefined ? { granted, remaining } : { granted, remaining, epoch }
    },
    join: (process) => joinProcesses(redis, process, clock),
  }
}

async function joinProcesses(redis: RedisConnection, process: string, clock: Clock): Promise<LimitProcesses> {
  const keys = [redis.key('limit-processes', 'seen')]
  let counted = 1
  /** Since when fewer answer. */
  let fewerSince: number | undefined
  let hasLeft = false

  async function report(what: 'join' | 'leave'): Promise<void> {
    const found = (await redis.run(countScript, keys, [process, what, redis.channel])) as number
    const now = clock.now()
    if (found >= counted) fewerSince = undefined
    else fewerSince ??= now
    if (found < counted && now - fewerSince! < keepProcessMs) return
    counted = Math.max(1, found)
    fewerSince = undefined
  }

  const join = async (): Promise<void> => {
    if (!hasLeft) await report('join').catch(() => {})
  }
  redis.onReady(() => void join())
  redis.onMessage(([kind, changed]) => {
    if (kind === 'processes' && changed !== process) void join()
  })
  redis.every(countEveryMs, join)
  await join()
  return {
    count: () => counted,
    async leave() {
      if (hasLeft) return
      hasLeft = true
      await report('leave').catch(() => {})
    },
  }
}

function invalid(what: string, expected: string): StoresError {
  return new StoresError('invalid', `${what}: expected ${expected}`)
}
