export type { Endpoint } from './endpoint.ts'
export type { EndpointHealth } from './endpoint-health.ts'
export { createPool, type PoolOptions } from './pool.ts'
export { healthiestFirst, type Preference, type SelectionPolicy } from './selection-policy.ts'
