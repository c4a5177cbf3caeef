// @boundaries-ignore Servers for tests are in no package.
export { missingPostgres, startPostgres } from '../../../../packages/stores/test/postgres-server.ts'
// @boundaries-ignore As above.
export { missingRedis, startRedis } from '../../../../packages/stores/test/redis-server.ts'

/** Whether a test must run although its server is missing, and fails then. */
export const isRequired: boolean = process.env['REQUIRE_SERVICES'] !== undefined
