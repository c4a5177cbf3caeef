/** A module of its own, so that the code that fetches missed events loads with the first subscription. */
export { keepWhole } from './keep-whole.ts'
