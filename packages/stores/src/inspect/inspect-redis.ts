import { atMost } from '../defaults.ts'
import { StoresError } from '../error.ts'
import { explainRedis, openRedisClient } from '../redis/redis-client.ts'
import { describeRedis } from '../redis/redis-connection.ts'

/** The state of a Redis, as its own `INFO` tells it; of a cluster, that of one of its nodes. */
export interface RedisInspection {
  /** Its hosts, without credentials: `Redis at 10.0.0.7:6379`. */
  readonly where: string
  readonly version: string
  /** `maxmemory-policy`: `noeviction` never drops a key that is in use. */
  readonly evictionPolicy: string
  /** 0: no bound but the machine's. */
  readonly maxMemoryBytes: number
  readonly usedMemoryBytes: number
}

const withinMs = 3_000

/** Asks a Redis, or some nodes of a cluster, for its state. Waits three seconds at most. @throws StoresError `unavailable` */
export async function inspectRedis(url: string | readonly string[]): Promise<RedisInspection> {
  const urls = typeof url === 'string' ? [url] : url
  const where = describeRedis(urls)
  const events = { onMessage: () => {}, onLost: () => {} }
  const opening = openRedisClient(urls, typeof url !== 'string', undefined, events, withinMs)
  let answer: unknown
  try {
    await atMost(
      withinMs,
      opening.then(async (client) => {
        answer = await client.send('wayleave', ['INFO'])
      }),
    )
  } catch (thrown) {
    throw explainRedis(thrown, where)
  } finally {
    opening.then(
      (client) => client.destroy(),
      () => {},
    )
  }
  if (answer === undefined) {
    throw new StoresError('unavailable', `${where} did not answer within ${withinMs} ms`, { fault: 'silent' })
  }
  const members = new Map(
    String(answer)
      .split(/\r?\n/)
      .map((line) => line.split(':', 2) as [string, string]),
  )
  if (members.get('role') === 'slave') {
    throw new StoresError('unavailable', `${where} takes no writes: name its primary`, { fault: 'read_only' })
  }
  return {
    where,
    version: members.get('redis_version') ?? '',
    evictionPolicy: members.get('maxmemory_policy') ?? '',
    maxMemoryBytes: Number(members.get('maxmemory') ?? 0),
    usedMemoryBytes: Number(members.get('used_memory') ?? 0),
  }
}
