// @boundaries-ignore A server for tests is in no package; that of the stores can be stopped and frozen.
export { missingPostgres, startPostgres } from '../../../../packages/stores/test/postgres-server.ts'
