export {
  adaptCalls,
  type AdaptCall,
  type AdaptCallsOptions,
  type Adaptation,
  type AdaptedCall,
  type AdapterOptions,
} from './adapt.ts'
export { adaptedFrom, type AdaptedFrom, adaptStarknet, type AdaptStarknetOptions } from './adapt-starknet.ts'
export type { ErrorParts } from './error.ts'
