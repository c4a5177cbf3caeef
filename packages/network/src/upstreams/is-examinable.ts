import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { Candidate, Selection } from '@wayleave/upstream'
import type { NetworkConfig } from '../config/network-config.ts'
import { namedUpstream } from '../config/upstream-config.ts'

/**
 * Whether the gateway may look for the history of an upstream at a time: nothing speaks against the upstream, and it is free, unless its
 * configuration says otherwise. With a question: whether it can be paid, too.
 */
export function isExaminable(
  candidate: Candidate,
  { upstreams }: Pick<NetworkConfig, 'upstreams'>,
  { candidates, exclusion }: Pick<Selection, 'candidates' | 'exclusion'>,
  now: number,
  question: RpcRequest | undefined,
): boolean {
  const at = candidates.indexOf(candidate)
  const { probe, price = 0, budget } = namedUpstream(upstreams[at]!, at)
  if (!(probe ?? (price === 0 && budget === undefined)) || exclusion(candidate, now) !== undefined) return false
  return question === undefined || candidate.spend?.affords(question.method, now) !== false
}
