import type { ReplayPort, ReplayRecord } from '@wayleave/admin-api'
import { type ConfigProblem, printProblem } from '../config/check.ts'
import type { Config } from '../config/config.ts'
import type { Surroundings } from '../surroundings.ts'
import type { RecordedCall } from '../trace/recorded-call.ts'
import type { CallRecorder } from '../trace/recorder.ts'
import { replayConfig } from './replay-config.ts'

/** Reads the configuration as a reload would, and has nothing served. */
export type ReadConfig = () => Promise<{
  /** Absent where it cannot be served. */
  readonly config?: Config | undefined
  readonly problems: readonly ConfigProblem[]
}>

export interface ReplayPortOptions {
  readonly recorder: Pick<CallRecorder, 'lately'>
  /** The calls that each worker remembers, undefined of one that gave no answer in time; undefined where there are none. */
  readonly ofWorkers: () => Promise<readonly (readonly RecordedCall[] | undefined)[]> | undefined
  readonly present: () => Config
  readonly readConfig: ReadConfig
  readonly surroundings: Pick<Surroundings, 'clock' | 'nextTurn' | 'sha256'>
}

/** Replays the last calls against the configuration file. One replay runs at a time; those who ask meanwhile share it. */
export function createReplayPort(options: ReplayPortOptions): ReplayPort {
  const { recorder, ofWorkers, present, readConfig, surroundings } = options
  const { clock, nextTurn, sha256 } = surroundings
  let running: Promise<ReplayRecord> | undefined

  async function replay(): Promise<ReplayRecord> {
    const { config: changed, problems } = await readConfig()
    if (changed === undefined) return { ...nothing, problems: problems.map((problem) => printProblem(problem)) }
    const reported = [recorder.lately(), ...((await ofWorkers()) ?? [])]
    const calls = reported
      .flatMap((some) => some ?? [])
      .toSorted((a, b) => a.at - b.at)
      .slice(-mostCalls)
    return await replayConfig({
      calls,
      present: present(),
      changed,
      sha256,
      date: clock.date(),
      now: () => clock.now(),
      giveWay: () => new Promise((resolve) => nextTurn(resolve)),
    })
  }

  return {
    run() {
      running ??= replay().finally(() => (running = undefined))
      return running
    },
  }
}

/** Most calls that are replayed, the last ones: a thousand take some 40 ms of CPU time. */
const mostCalls = 10_000

const nothing: ReplayRecord = { calls: 0, changes: [], needsRestart: [], problems: [], refused: [], networks: [] }
