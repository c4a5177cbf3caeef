import { StoresError } from '../error.ts'
import { corruptFilter, type FilterStore, type StoredFilter } from '../filters/filter-store.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

const mostFilters = 100_000
/** Filters that one script lists: a script holds up every other one. */
const listedAtOnce = 500

/**
 * Puts a filter, `<revision> <json>`, if the stored one is of the revision before. Returns 1, or 0 where it is not or where its project has
 * as many as it may have, or -1 where there is no room. Expired ones are dropped first, by the clock of Redis.
 */
const putScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
if #old > 0 then
  redis.call('HDEL', KEYS[1], unpack(old))
  redis.call('ZREM', KEYS[2], unpack(old))
end
local revision, expiresAt = tonumber(ARGV[2]), tonumber(ARGV[4])
local kept = redis.call('HGET', KEYS[1], ARGV[1])
local before = kept and tonumber(string.match(kept, '^%d+')) or -1
if before ~= revision - 1 then return 0 end
if not kept and redis.call('ZCARD', KEYS[2]) >= ${mostFilters} then return -1 end
if not kept and ARGV[5] ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[5]) then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('ZADD', KEYS[2], expiresAt, ARGV[1])
redis.call('ZADD', KEYS[3], expiresAt, ARGV[1])
for _, key in ipairs(KEYS) do
  if expiresAt - now > redis.call('PTTL', key) then redis.call('PEXPIRE', key, math.max(1, expiresAt - now)) end
end
return 1
`)

const getScript = defineScript(`return redis.call('HGET', KEYS[1], ARGV[1]) or ''`)

/** The key of the project follows from the filter; it is in the slot of the others. */
const removeScript = defineScript(`
local kept = redis.call('HGET', KEYS[1], ARGV[1])
local isRead, filter = pcall(cjson.decode, kept and string.match(kept, '^%d+ (.*)') or '')
local project = isRead and type(filter) == 'table' and filter.project or ''
if type(project) == 'string' then redis.call('ZREM', KEYS[3] .. project, ARGV[1]) end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('HDEL', KEYS[1], ARGV[1])
`)

/** Lists a page of those that expire after a time, the last to expire first. */
const listScript = defineScript(`
local ids = redis.call('ZREVRANGEBYSCORE', KEYS[2], '+inf', '(' .. ARGV[1], 'LIMIT', ARGV[2], ARGV[3])
if #ids == 0 then return ids end
return redis.call('HMGET', KEYS[1], unpack(ids))
`)

/** Keeps the filters of a network in Redis. */
export function createSharedFilters(redis: RedisConnection, network: string): FilterStore {
  const keys = [redis.key(`filters:${network}`, 'places'), redis.key(`filters:${network}`, 'expiry')]
  const ofProject = redis.key(`filters:${network}`, 'of:')
  return {
    async get(id) {
      const text = (await redis.run(getScript, keys, [id])) as string
      if (text === '') return undefined
      const filter = filterOf(text)
      if (filter === undefined) throw corruptFilter(id)
      return filter
    },
    async put(filter, most) {
      const { id, project = '', revision, expiresAt } = filter
      const own = [...keys, ofProject + project]
      const done = await redis.run(putScript, own, [id, revision, JSON.stringify(filter), expiresAt, most ?? ''])
      if (done === -1)
        throw new StoresError('conflict', `there are ${mostFilters} filters of ${network}: end some first`)
      return done === 1
    },
    remove: async (id) => (await redis.run(removeScript, [...keys, ofProject], [id])) === 1,
    async list(now, limit) {
      const found: StoredFilter[] = []
      for (let from = 0; from < limit; from += listedAtOnce) {
        const count = Math.min(listedAtOnce, limit - from)
        const page = (await redis.run(listScript, keys, [now, from, count])) as readonly (string | null)[]
        found.push(...page.flatMap((text) => (text === null ? [] : (filterOf(text) ?? []))))
        if (page.length < count) break
      }
      return found.toReversed()
    },
  }
}

/** Undefined where it is not what was written. */
function filterOf(text: string): StoredFilter | undefined {
  let filter: StoredFilter
  try {
    filter = JSON.parse(text.slice(text.indexOf(' '))) as StoredFilter
  } catch {
    return undefined
  }
  if (typeof filter?.cursor?.hash !== 'string' || filter.kind === undefined) return undefined
  return { ...filter, project: filter.project, pendingCursor: filter.pendingCursor }
}
