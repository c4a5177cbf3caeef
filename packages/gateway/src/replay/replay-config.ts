import type { ReplayNetworkRecord, ReplayRecord, ReplaySide } from '@wayleave/admin-api'
import type { Digest } from '@wayleave/auth'
import type { ReplayedCall, ReplayOutcome } from '@wayleave/upstream/simulation'
import { namedUpstream } from '@wayleave/network/config'
import { groupsForCalls, loadNetworkKinds, methodClassOf, projectUpstreams, upstreamGroups } from '@wayleave/network'
import { diffConfig } from '../config/config-diff.ts'
import type { Config } from '../config/config.ts'
import type { RecordedCall } from '../trace/recorded-call.ts'
import { createRefusals } from './refused-calls.ts'

export interface ReplayConfigOptions {
  /** In the order in which they began. */
  readonly calls: readonly RecordedCall[]
  readonly present: Config
  readonly changed: Config
  readonly sha256: Digest
  /** Unix time in ms. */
  readonly date: number
  /** Real time in ms, to measure what a decision costs. */
  readonly now: () => number
  /** Lets other work of the process go first. */
  readonly giveWay: () => Promise<void>
}

/**
 * Makes recorded calls again under a changed configuration, and under the present one, so that both columns have the faults of a simulation
 * alike. No node is asked.
 */
export async function replayConfig(options: ReplayConfigOptions): Promise<ReplayRecord> {
  const { calls, present, changed, sha256, date, now, giveWay } = options
  const { replayCalls } = await import('@wayleave/upstream/simulation')
  const refusalOf = createRefusals(present, changed, sha256, date)
  const refusedNow = createRefusals(present, present, sha256, date)
  const refused = new Map<string, ReplayRecord['refused'][number]>()
  const passed: RecordedCall[] = []
  for (const call of calls) {
    // Some are of a configuration before the present one.
    if (call.outcome === 'refused' || refusedNow(call) !== undefined) continue
    const reason = refusalOf(call)
    if (reason === undefined) passed.push(call)
    else {
      const { network, project } = call
      const what = printable(reason === 'network' ? network : reason === 'method' ? call.method : project)
      const key = `${reason} ${what}`
      refused.set(key, { reason, what, calls: (refused.get(key)?.calls ?? 0) + 1 })
    }
  }

  const kindOf = await loadNetworkKinds([...Object.values(present.networks), ...Object.values(changed.networks)])

  async function side(config: Config, name: string, of: readonly RecordedCall[]): Promise<ReplayOutcome | undefined> {
    const network = config.networks[name]
    if (network === undefined) return undefined
    const { facts } = kindOf(network.kind)
    const groupsFor = groupsForCalls(projectUpstreams(config, network), facts)
    const groups = upstreamGroups(network)
    return await replayCalls({
      calls: of.map((call): ReplayedCall => ({ ...call, groups: groupsFor(call.project, call.method) })),
      upstreams: network.upstreams.map((upstream, i) => ({ ...namedUpstream(upstream, i), groups: groups[i] })),
      policy: network.policy,
      classOf: methodClassOf(facts),
      now,
      giveWay,
    })
  }

  const networks: ReplayNetworkRecord[] = []
  for (const name of new Set([...Object.keys(present.networks), ...Object.keys(changed.networks)])) {
    // The cache answers as it did; what no upstream was asked for is not asked now.
    const asked = (from: readonly RecordedCall[]): readonly RecordedCall[] =>
      from.filter((call) => call.network === name && (call.upstream !== undefined || call.failed.length > 0))
    const before = asked(calls.filter((call) => refusedNow(call) === undefined))
    if (before.length === 0) continue
    const after = asked(passed)
    networks.push({
      name,
      present: sideOf(await side(present, name, before)),
      changed: sideOf(await side(changed, name, after)),
    })
  }
  const { changes, needsRestart } = diffConfig(present, changed)
  return {
    calls: calls.length,
    from: whole(calls[0]?.at),
    to: whole(calls.at(-1)?.at),
    changes: changes.map(({ text }) => text).slice(0, mostChanges),
    problems: [],
    needsRestart: needsRestart.map(({ path }) => path).slice(0, mostChanges),
    refused: [...refused.values()].toSorted((a, b) => b.calls - a.calls).slice(0, mostRefused),
    networks,
  }
}

/** Most changes, and most reasons, that are told. */
const mostChanges = 100
const mostRefused = 100
/** Longest words of an exception, in characters. */
const longestThrown = 200

/** A name or words of somebody else without controls and half characters. */
function printable(text: string): string {
  const shown = text.replaceAll(/\p{Cs}/gu, '\ufffd').replaceAll(/\p{Cc}+/gu, ' ')
  return shown.trim() === '' ? '(empty)' : shown
}

const whole = (date: number | undefined): number | undefined => (date === undefined ? undefined : Math.floor(date))

function sideOf(outcome: ReplayOutcome | undefined): ReplaySide | undefined {
  if (outcome === undefined) return undefined
  const { calls, failed, asked, p50Ms, p95Ms, faults, thrown, decisionUs, units } = outcome
  const ms = (value: number): number | undefined => (Number.isNaN(value) ? undefined : Math.round(value * 10) / 10)
  return {
    calls,
    failed,
    p50Ms: ms(p50Ms),
    p95Ms: ms(p95Ms),
    decisionUs: Math.round(decisionUs * 10) / 10,
    policyFaults: Object.values(faults).reduce((sum, count) => sum + count, 0),
    thrown: thrown && printable(thrown.slice(0, longestThrown)),
    upstreams: Object.entries(asked).map(([name, count]) => ({ name, asked: count, units: units.get(name) })),
  }
}
