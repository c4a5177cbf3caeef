import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/** The method from whose answer an answer was made, as no node has the one that was asked for; carried by its meta. */
export const derivedFrom: Extension<string> = defineExtension<string>('derivedFrom')
