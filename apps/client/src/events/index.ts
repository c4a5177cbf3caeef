// An entry of its own, so that what only createEvmClient is given loads with nothing else.
export { fetchMissed } from './fetch-missed.ts'
export type { Pushes, Resubscribe } from './resubscribe.ts'
