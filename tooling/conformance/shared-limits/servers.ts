// @boundaries-ignore Servers for tests are in no package; those of the stores can be stopped and frozen.
export { missingPostgres, type PostgresServer, startPostgres } from '../../../packages/stores/test/postgres-server.ts'
// @boundaries-ignore As above.
export { missingRedis, type RedisServer, startRedis } from '../../../packages/stores/test/redis-server.ts'
// @boundaries-ignore The usage is read where it ends, past the gateways.
export { openStores } from '../../../packages/stores/src/index.ts'
