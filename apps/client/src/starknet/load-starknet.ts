/** A module of its own, so that the code of Starknet loads with the first call. */
export { createStarknetCall } from './starknet-calls.ts'
export { starknetEvents } from './starknet-events.ts'
