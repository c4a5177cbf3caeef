import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import type { PinnedConfig } from '../chains/pinned-config.ts'
import { type GasQuestion, reportGas } from '../gas/report-gas.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { problemsOf } from '../reloads.ts'
import type { NextSnapshot, Snapshot } from '../snapshot.ts'
import { explainOwn, type ExplainQuestion } from '../trace/explain-calls.ts'
import type { LiveCalls } from '../trace/live-calls.ts'
import type { CallRecorder } from '../trace/recorder.ts'
import type { Channel } from '../shared-state/channel.ts'
import { reportLiveCalls } from '../shared-state/relay-live-calls.ts'
import { beatMs, topics } from '../shared-state/topics.ts'
import { repeat } from '../waits.ts'
import type { Prepared } from './worker-messages.ts'

export interface ServePrimaryOptions {
  readonly channel: Channel
  readonly open: (config: PinnedConfig) => Promise<NextSnapshot>
  readonly take: (next: NextSnapshot) => void
  readonly metrics: Pick<Metrics, 'changes'>
  readonly recorder: Pick<CallRecorder, 'find' | 'last' | 'lately'>
  readonly live: LiveCalls
  readonly present: () => Pick<Snapshot, 'gas'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** Has a worker follow its primary process: it takes configurations in two steps, and tells its counts, its calls and its gas fees. Returns a function that ends that. */
export function servePrimary(options: ServePrimaryOptions): () => Promise<void> {
  const { channel, open, take, metrics, recorder, live, present, clock, log } = options
  let prepared: NextSnapshot | undefined

  async function abandon(): Promise<void> {
    const given = prepared
    prepared = undefined
    await given?.abandon()
  }

  channel.serve(topics.prepare, async (config): Promise<Prepared> => {
    await abandon()
    try {
      prepared = await open(config as PinnedConfig)
      return { problems: [] }
    } catch (thrown) {
      return { problems: problemsOf(thrown, log) }
    }
  })
  channel.serve(topics.commit, () => {
    if (prepared === undefined) return
    take(prepared)
    prepared = undefined
  })
  channel.serve(topics.abandon, abandon)
  channel.serve(topics.metrics, () => metrics.changes())
  channel.serve(topics.gas, (question) => reportGas(present().gas.sources, question as GasQuestion))
  channel.serve(topics.explain, (question) => explainOwn(recorder, question as ExplainQuestion))
  channel.serve(topics.records, () => recorder.lately())
  const beat = (): void => channel.report(topics.beat, metrics.changes())
  beat()
  const stopBeat = repeat(beat, beatMs, clock)
  const stopLive = reportLiveCalls(live, channel)
  return async () => {
    void stopBeat()
    stopLive()
    await abandon()
  }
}
