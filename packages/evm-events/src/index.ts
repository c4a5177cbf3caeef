export { type StreamBlock, streamBlockOf } from './block.ts'
export type {
  Ask,
  BlockPosition,
  ChainListener,
  ChainStream,
  ChainUpdate,
  HeadSource,
  HeadUpdate,
} from './chain-source.ts'
export { evmEvents, type EvmEventsOptions } from './evm-events.ts'
