/** A module of its own, so that the code of subscriptions loads with the first one. */
export { assertSubscription } from './event-params.ts'
export { createPushes } from './pushes.ts'
