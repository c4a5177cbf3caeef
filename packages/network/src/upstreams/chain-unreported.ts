import type { Candidate, ChainView, Selection, SelectionCall } from '@wayleave/upstream'

/** Whether an upstream is left out of a call since it may be of another chain, and one that has named its chain can serve the call. */
export function isChainUnreported(
  { endpoint }: Candidate,
  call: SelectionCall,
  view: Pick<ChainView, 'of' | 'hasStrangers'>,
  { candidates, reason }: Pick<Selection, 'candidates' | 'reason'>,
): boolean {
  if (!view.hasStrangers) return false
  const { isStrange, head } = view.of(endpoint)
  // One that told nothing may be dead, and what a dead one could have answered is unknown: it is asked last.
  if (!isStrange || head === undefined) return false
  return candidates.some((other) => view.of(other.endpoint).chain === 'right' && reason(other, call) === undefined)
}
