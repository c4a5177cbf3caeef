export type { SimulatedUpstream } from './run-scenario.ts'
export { type PolicyTrial, tryPolicy } from './try-policy.ts'
