// @boundaries-ignore Servers for tests are in no package; those of the stores can be stopped and frozen.
export { freshDatabase, missingPostgres, queryPostgres, startPostgres } from '../../../stores/test/postgres-server.ts'
// @boundaries-ignore As above.
export { missingRedis, type RedisServer, startRedis } from '../../../stores/test/redis-server.ts'

/** Whether a test must run although its server is missing, and fails then. */
export const isRequired = process.env['REQUIRE_SERVICES'] !== undefined
