export {
  replayCalls,
  type ReplayedCall,
  type ReplayedFailure,
  type ReplayOptions,
  type ReplayOutcome,
} from './replay-calls.ts'
export type { SimulatedUpstream } from './simulate-calls.ts'
