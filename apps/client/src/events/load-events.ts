/** A module of its own, so that the code that fetches missed events loads with the first subscription. */
export { fetchMissed } from './fetch-missed.ts'
