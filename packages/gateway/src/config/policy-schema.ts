import { is, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { UpstreamOrder } from '@wayleave/upstream'

/** A selection policy of the operator. */
export const policy: Schema<UpstreamOrder> = is(
  'a function, which only a .ts or .js configuration can have',
  (value) => typeof value === 'function',
  () => ({ not: {} }),
)
