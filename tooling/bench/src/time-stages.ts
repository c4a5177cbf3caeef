import type { BenchClock } from './defaults.ts'
import { median } from './statistics.ts'

/** One stage of a request's way through the gateway, on its own. */
export interface Stage {
  readonly name: string
  /** The most that the stage may cost a call, in microseconds. */
  readonly allowanceMicros: number
  /** Whether it is another way through a stage that is counted, so that it is left out of the sum. Default: no. */
  readonly isAside?: boolean
  /** Runs to one that does the stage's work; so many times more are made, as that work would not get warm else. Default: 1. */
  readonly runsToOne?: number
  /** Runs the stage once, as for one small call. */
  run(): void | Promise<unknown>
}

export interface TimedStage {
  readonly name: string
  readonly allowanceMicros: number
  readonly isAside: boolean
  /** CPU microseconds a run, garbage collection included: the median of several batches. */
  readonly micros: number
}

/** The name of the stage that is a call between the two sides of HTTP. */
export const wholeWay = 'whole way, from body to reply'

const batches = 10

/** Times each stage in this process: `iterations` runs that do its work, after a tenth of them as warm-up. */
export async function timeStages(
  stages: readonly Stage[],
  iterations: number,
  clock: Pick<BenchClock, 'cpu'>,
): Promise<readonly TimedStage[]> {
  const timed: TimedStage[] = []
  for (const stage of stages) {
    const size = Math.max(1, Math.ceil((iterations * (stage.runsToOne ?? 1)) / batches))
    await runBatch(stage, size)
    const micros: number[] = []
    for (let batch = 0; batch < batches; batch++) {
      const start = clock.cpu()
      await runBatch(stage, size)
      micros.push(((clock.cpu() - start) * 1000) / size)
    }
    const { name, allowanceMicros, isAside = false } = stage
    timed.push({ name, allowanceMicros, isAside, micros: median(micros) })
  }
  return timed
}

async function runBatch(stage: Stage, size: number): Promise<void> {
  for (let i = 0; i < size; i++) {
    const running = stage.run()
    if (running !== undefined) await running
  }
}
