import type { FeeLevel, FeePromise } from '@wayleave/gas-fees'
import type { ColdStart } from '../cold-start.ts'
import type { EndingOffer } from '../ending.ts'
import type { Measurement } from '../measurement.ts'
import type { DuelVerdict, PromiseVerdict } from '../verdict.ts'

/** The result of one run. */
export interface BacktestResult {
  /** yyyy-mm-dd */
  readonly date: string
  readonly command: string
  readonly markets: readonly {
    readonly name: string
    readonly kind: 'recorded' | 'simulated'
    readonly blocks: number
    readonly node: string
  }[]
  readonly promises: Readonly<Record<FeeLevel, FeePromise>>
  readonly measurements: readonly Measurement[]
  /** By the deciding judge, for each state of each market. */
  readonly byRegime: readonly Measurement[]
  readonly coldStarts: readonly ColdStart[]
  readonly promiseVerdicts: readonly PromiseVerdict[]
  readonly duelVerdicts: readonly DuelVerdict[]
  readonly endings: readonly EndingOffer[]
}
