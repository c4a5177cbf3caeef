import type { RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import type { ErrorVerdict, FailureKind } from '@wayleave/upstream'
import { type ErrorAction, retryAfterOf } from '../kinds/error-actions.ts'
import type { NetworkKind } from '../kinds/network-kind.ts'

/** The failure that each consequence of a node's error is to the pool; `final` is none. */
const kinds: Readonly<Record<Exclude<ErrorAction, 'final'>, FailureKind>> = {
  next: 'internal',
  hold_off: 'rate_limited',
  quota: 'quota',
  remember: 'method_missing',
  lagging: 'lagging',
  pruned: 'pruned',
  range: 'range_too_large',
}

/** Failures that say more of a call than of the upstream; they are counted, not logged. */
export const aboutTheCall: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'lagging',
  'pruned',
  'range_too_large',
  'method_missing',
])

/** Makes the function that tells what a node's error means to the pool; undefined: it is the answer. */
export function verdictsOf({ actionOf }: Pick<NetworkKind, 'actionOf'>) {
  return (request: RpcRequest, error: RpcErrorObject): ErrorVerdict | undefined => {
    const action = actionOf(request, error)
    if (action === 'final') return undefined
    const kind = kinds[action]
    return kind === 'rate_limited' || kind === 'quota' ? { kind, retryAfterMs: retryAfterOf(error) } : { kind }
  }
}
