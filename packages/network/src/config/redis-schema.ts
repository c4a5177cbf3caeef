import { choice, nonEmptyArray, type Schema } from '@wayleave/jsonrpc-core/schema'
import { url } from './schema-parts.ts'

const redisUrl = url('a redis or rediss URL', ['redis:', 'rediss:'])
const redisUrls = nonEmptyArray(redisUrl)
/** The URL of a Redis, or some nodes of a Redis Cluster. */
export const redis: Schema<string | readonly string[]> = choice<string | readonly string[]>(
  'a redis or rediss URL, or those of some nodes of a Redis Cluster',
  (value) => (Array.isArray(value) ? redisUrls : redisUrl),
  [redisUrl, redisUrls],
)
