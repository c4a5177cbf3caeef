import { type Schema, tuple } from '@wayleave/jsonrpc-core/schema'

/** The params of a method that takes none. */
export const noParams: Schema<readonly []> = /*#__PURE__*/ tuple<readonly []>()
