export { evmEvents, type EvmEventsOptions } from './evm-events.ts'
