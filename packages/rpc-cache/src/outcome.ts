import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** Whether the cache answered (`hit`), or a node (`miss`). */
export type CacheOutcome = 'hit' | 'miss'

/** The outcome, on the meta of each answer to a call that the cache may keep. */
export const cacheOutcome: Extension<CacheOutcome> = /*#__PURE__*/ defineExtension<CacheOutcome>('cacheOutcome')
