// @boundaries-ignore A server for tests is in no package.
export { freshDatabase, missingPostgres } from '../../../stores/test/postgres-server.ts'
