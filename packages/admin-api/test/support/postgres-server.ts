// @boundaries-ignore A server for tests is in no package.
export { missingPostgres, type PostgresServer, startPostgres } from '../../../stores/test/postgres-server.ts'
