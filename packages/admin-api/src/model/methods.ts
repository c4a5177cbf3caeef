import { is, type Schema } from '@wayleave/jsonrpc-core/schema'

/** The schema of OpenRPC documents. */
export const openRpc: Schema<object> = is<object>(
  'an OpenRPC document',
  (value) => typeof value === 'object' && value !== null,
  () => ({ type: 'object' }),
)
