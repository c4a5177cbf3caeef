import type { Candidate } from './candidate.ts'
import type { SelectionCall, UpstreamOrder } from './order.ts'

/**
 * The fault of a selection policy: it has thrown; what it returned is no list; is empty; has something that may not be asked; has an
 * upstream twice.
 */
export type PolicyFault = 'threw' | 'no_list' | 'empty' | 'stranger' | 'double'

/**
 * Makes a policy harmless: whatever it does, calls are served. Strangers are dropped, and what stands twice counts once; where nothing is
 * left, or the policy has thrown, `fallback` decides. Where several are asked, those that it left out follow. `onFault`: called with each fault, and with the error that was thrown.
 */
export function guardedOrder(
  policy: UpstreamOrder,
  fallback: UpstreamOrder,
  onFault: (fault: PolicyFault, thrown?: unknown) => void = () => {},
): UpstreamOrder {
  return (eligible, call) => {
    // A policy has nothing to choose there.
    if (eligible.length < 2) return eligible
    const ordered = ask(eligible, call)
    if (ordered === undefined) return fallback(eligible, call)
    const kept = checked(ordered, eligible)
    if (kept.length > 0 && call.forSeveral !== true) return kept
    if (kept.length > 0) {
      const others = eligible.filter((candidate) => !kept.includes(candidate))
      return [...kept, ...fallback(others, call)]
    }
    onFault('empty')
    return fallback(eligible, call)
  }

  function ask(eligible: readonly Candidate[], call: SelectionCall): readonly Candidate[] | undefined {
    let ordered: unknown
    try {
      // A copy, which the policy may sort.
      ordered = policy(eligible.slice(), call)
    } catch (thrown) {
      onFault('threw', thrown)
      return undefined
    }
    if (Array.isArray(ordered)) return ordered as readonly Candidate[]
    // A promise that nobody waits for must not end the process.
    if (ordered instanceof Promise) ordered.catch(() => {})
    onFault('no_list')
    return undefined
  }

  function checked(ordered: readonly Candidate[], eligible: readonly Candidate[]): readonly Candidate[] {
    let kept: Candidate[] | undefined
    for (let i = 0; i < ordered.length; i++) {
      const candidate = ordered[i]!
      const isDouble = ordered.indexOf(candidate) < i
      if (!isDouble && eligible.includes(candidate)) {
        kept?.push(candidate)
        continue
      }
      onFault(isDouble ? 'double' : 'stranger')
      kept ??= ordered.slice(0, i)
    }
    return kept ?? ordered
  }
}
