import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'

/**
 * The version in which a node gave an answer that was translated for its caller, and the members that only fill in what the caller's
 * version requires: `0.10; unknown="gas_consumed gas_price"`; carried by the meta of the answer.
 */
export const adaptedFrom: Extension<string> = defineExtension<string>('adaptedFrom')
