import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** The version of the interface that a caller speaks, on each of his calls, where a network has several. */
export const apiVersion: Extension<string> = defineExtension<string>('apiVersion')

/** The version of a call for the version itself whose caller names none: no answer but a node's own version would serve them. */
export const undecided = 'undecided'
