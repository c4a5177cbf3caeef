import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** The only upstream that can take a call, by its name: it is asked for its own answer, or lacks the call's transaction. */
export const pinnedUpstream: Extension<string> = defineExtension<string>('pinnedUpstream')
