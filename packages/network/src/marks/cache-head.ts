import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** On a call whose answer is kept for one head: its hash, so that callers of the next one do not share what was asked before. */
export const cacheHead: Extension<string> = defineExtension<string>('cacheHead')
