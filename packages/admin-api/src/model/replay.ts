import { array, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { RefusedCalls, ReplayedUpstream, ReplayNetworkRecord, ReplayRecord, ReplaySide } from '../replay-port.ts'
import { count, exact, time, words } from './fields.ts'
import { amount } from './traffic.ts'

const sentences = array(text('a sentence'))

const side: Schema<ReplaySide> = exact<ReplaySide>('one side of a replay', {
  calls: count,
  failed: count,
  p50Ms: optional(amount),
  p95Ms: optional(amount),
  decisionUs: amount,
  policyFaults: count,
  thrown: optional(words(0, 256)),
  upstreams: array(
    exact<ReplayedUpstream>('an upstream', { name: words(1, 256), asked: count, units: optional(amount) }),
  ),
})

export const replay: Schema<ReplayRecord> = exact<ReplayRecord>('a replay', {
  calls: count,
  from: optional(time),
  to: optional(time),
  changes: sentences,
  needsRestart: sentences,
  problems: sentences,
  refused: array(
    exact<RefusedCalls>('calls that would be refused', {
      reason: oneOf('network', 'project', 'project_network', 'key', 'method'),
      what: words(1, 256),
      calls: count,
    }),
  ),
  networks: array(
    exact<ReplayNetworkRecord>('a network', {
      name: words(1, 256),
      present: optional(side),
      changed: optional(side),
    }),
  ),
})
