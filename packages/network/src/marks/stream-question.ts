import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** Marks the questions of event streams, which are made for all subscribers together. */
export const streamQuestion: Extension<true> = defineExtension<true>('streamQuestion')
