import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** A filter that a node keeps. */
export interface SharedFilter {
  /** The project that may use it; undefined: the host itself. */
  readonly project: string | undefined
  /** The name of the upstream that keeps it. */
  readonly upstream: string
  /** The node's own id, as JSON. */
  readonly nodeId: string
}

/**
 * The filters of a network that any process has opened at a node, by the ids that callers were given. One that is not used for 15 minutes is
 * forgotten, and so are those beyond 100,000, unused for longest first. All reject within 1 s with StoresError `unavailable`.
 */
export interface SharedFilterStore {
  put(id: string, filter: SharedFilter): Promise<void>
  /** Finds a filter; that counts as a use. */
  find(id: string): Promise<SharedFilter | undefined>
  remove(id: string): Promise<void>
}

const unusedMs = 900_000
const mostFilters = 100_000

const nowLine = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)`

const putScript = defineScript(`${nowLine}
local function forget(ids)
  if #ids == 0 then return end
  redis.call('HDEL', KEYS[1], unpack(ids))
  redis.call('ZREM', KEYS[2], unpack(ids))
end
forget(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now + ${unusedMs}, ARGV[1])
local extra = redis.call('ZCARD', KEYS[2]) - ${mostFilters}
if extra > 0 then forget(redis.call('ZRANGE', KEYS[2], 0, extra - 1)) end
redis.call('PEXPIRE', KEYS[1], ${unusedMs})
redis.call('PEXPIRE', KEYS[2], ${unusedMs})
return 1
`)

const findScript = defineScript(`${nowLine}
local until_ = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not until_ or tonumber(until_) <= now then return '' end
redis.call('ZADD', KEYS[2], now + ${unusedMs}, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ${unusedMs})
redis.call('PEXPIRE', KEYS[2], ${unusedMs})
return redis.call('HGET', KEYS[1], ARGV[1]) or ''
`)

const removeScript = defineScript(`
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`)

export function createSharedFilters(redis: RedisConnection, network: string): SharedFilterStore {
  const keys = [redis.key(`filters:${network}`, 'filters'), redis.key(`filters:${network}`, 'times')]
  return {
    async put(id, { project, upstream, nodeId }) {
      await redis.run(putScript, keys, [id, JSON.stringify({ project, upstream, nodeId })])
    },
    async find(id) {
      const text = (await redis.run(findScript, keys, [id])) as string
      return text === '' ? undefined : (JSON.parse(text) as SharedFilter)
    },
    async remove(id) {
      await redis.run(removeScript, keys, [id])
    },
  }
}
