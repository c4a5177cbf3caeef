import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** Marks a question that tells what an upstream has: the cache must not answer in its place. */
export const bypassCache: Extension<true> = defineExtension<true>('bypassCache')
