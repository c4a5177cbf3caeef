export { adaptCalls, type AdaptCall, type Adaptation, type AdaptedCall, type AdapterOptions } from './adapt.ts'
export { adaptStarknet, type AdaptStarknetOptions } from './adapt-starknet.ts'
export type { ErrorParts } from './error.ts'
