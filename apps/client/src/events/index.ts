export { fetchMissed } from './fetch-missed.ts'
export type { Pushes, Resubscribe } from './resubscribe.ts'
