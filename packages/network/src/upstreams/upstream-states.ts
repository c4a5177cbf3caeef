import type { Clock } from '@wayleave/jsonrpc-core'
import type { Candidate, ChainView, ExclusionReason, Selection, SelectionCall, Exclusion } from '@wayleave/upstream'
import type { PinnedNetwork } from '../config/network-config.ts'
import { namedUpstream } from '../config/upstream-config.ts'
import type { Capabilities } from './capabilities.ts'
import { clockDifferenceOf } from './clock-difference.ts'
import type { UpstreamGauges } from './upstream-counts.ts'

/** The state of an endpoint, without a URL. */
export interface EndpointState {
  readonly endpoint: string
  /** Why it cannot serve; undefined where it can. */
  readonly reason: string | undefined
  /** A task that it cannot do, though it serves. */
  readonly limit?: string | undefined
  /** Further members of it in `/status`. */
  readonly details?: Readonly<Record<string, string | number | Readonly<Record<string, number>> | undefined>>
}

/** The upstreams of a network, as a probe sees them. */
export interface ProbedUpstreams {
  readonly names: readonly string[]
  /** Asks an upstream of which nothing was heard of late; undefined: there is no need to. Never rejects. */
  look(name: string): Promise<void> | undefined
  stateOf(name: string): EndpointState
}

/** An upstream as it stood when a call ended badly. */
export interface CandidateThen {
  readonly upstream: string
  /** Why it was not asked like the others; undefined: it was. */
  readonly reason: ExclusionReason | undefined
  /** The same in words with facts, such as heights. */
  readonly detail: string | undefined
}

export interface UpstreamStatesOptions {
  readonly view: ChainView
  /** Whether the view follows heads; else it tells chains alone. */
  readonly followsHeads: boolean
  readonly selection: Selection
  /** The oldest block of an upstream by resource. Default: nothing is known of it. */
  readonly historyOf?: Capabilities['oldestOf'] | undefined
  /** The units that an upstream may cost in a day and a month, by its name. */
  readonly budgetOf: (endpoint: string) => UpstreamGauges['budget']
  readonly clock: Clock
}

/** The states of a network's upstreams, by the view of its chain and by how they are chosen. */
export interface UpstreamStates extends ProbedUpstreams {
  gauges(): readonly UpstreamGauges[]
  /** Returns the upstreams as they stand for a call. */
  candidates(call: SelectionCall): readonly CandidateThen[]
}

/** Creates the states. They are read anew each time. */
export function createUpstreamStates(options: UpstreamStatesOptions): UpstreamStates {
  const { view, followsHeads, selection, historyOf, clock } = options
  const { candidates } = selection
  const named = (name: string): Candidate => candidates.find(({ endpoint }) => endpoint.name === name)!
  return {
    names: candidates.map(({ endpoint }) => endpoint.name),
    look: (name) => view.look(named(name).endpoint),
    stateOf(name) {
      const candidate = named(name)
      const out = selection.exclusion(candidate, clock.now())
      const seen = view.of(candidate.endpoint)
      const { chain, health, head, lag } = seen
      const blocksBehindMs = clockDifferenceOf(seen)
      const oldest = historyOf?.(candidate.endpoint)
      const heads = followsHeads && { health, head: head?.number, lag: head && lag }
      const details = { out, chain, ...heads, ...(oldest && { oldest }), ...(blocksBehindMs && { blocksBehindMs }) }
      return { endpoint: name, reason: reasonOf(candidate, out), details }
    },
    candidates: (call) =>
      candidates.map((candidate) => {
        const reason = selection.reason(candidate, call)
        const out = reason && selection.exclusion(candidate, call.now)
        return { upstream: candidate.endpoint.name, reason, detail: reason && reasonOf(candidate, out) }
      }),
    gauges: () =>
      candidates.map((candidate) => {
        const { endpoint, health, spend } = candidate
        const { head, lag } = view.of(endpoint)
        const now = clock.now()
        return {
          endpoint: endpoint.name,
          exclusion: selection.exclusion(candidate, now),
          head: head?.number,
          lag: head && lag,
          breaker: health.breaker,
          spent: spend?.spent(now),
          budget: options.budgetOf(endpoint.name),
        }
      }),
  }

  /** Why an upstream cannot serve, for people; undefined where it can. */
  function reasonOf({ endpoint, cordoned }: Candidate, out: Exclusion | undefined): EndpointState['reason'] {
    if (cordoned !== undefined) return cordoned
    const { chain, isThere, reason, silence } = view.of(endpoint)
    if (chain === 'wrong') return reason
    if (!isThere) return silence ?? reason ?? 'no answer yet'
    // It has answered a probe, and is back with the next calls.
    if (out === undefined || out === 'half_open') return undefined
    return reason ?? out.replaceAll('_', ' ')
  }
}

/** Reads the units that upstreams may cost, by their names. */
export function budgetsOf({ upstreams }: Pick<PinnedNetwork, 'upstreams'>): UpstreamStatesOptions['budgetOf'] {
  const budgets = new Map(upstreams.map(namedUpstream).map(({ name, budget }) => [name, budget]))
  return (name) => ({ day: budgets.get(name)?.perDay, month: budgets.get(name)?.perMonth })
}
