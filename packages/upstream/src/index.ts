export type { Endpoint } from './endpoint.ts'
export { createPool, type PoolOptions } from './pool.ts'
