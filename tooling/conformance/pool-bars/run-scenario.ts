import type { Product } from './gateways/gateway.ts'
import { type Figure, holds } from './measure/figure.ts'
import { type MachineState, watchMachine } from './measure/machine.ts'
import type { RunOptions, Scenario } from './scenario.ts'

/** One gateway in one scenario. */
export interface Result {
  readonly scenario: string
  readonly product: string
  readonly figures: readonly Figure[]
  readonly machine: MachineState
  /** How late the callers' own process was at most, in ms. */
  readonly ownDelay: { readonly p99: number; readonly max: number }
  /** Bars that do not hold, each as a sentence without a full stop. */
  readonly broken: readonly string[]
}

/** Measures a gateway in a scenario. What goes wrong with that is a broken bar, too. */
export async function runScenario(
  scenario: Scenario,
  product: Product,
  options: Omit<RunOptions, 'product' | 'onDelay'>,
): Promise<Result> {
  const machine = watchMachine()
  const ownDelay = { p99: 0, max: 0 }
  const onDelay: RunOptions['onDelay'] = ({ p99, max }) => {
    ownDelay.p99 = Math.max(ownDelay.p99, p99)
    ownDelay.max = Math.max(ownDelay.max, max)
  }
  const base = { scenario: scenario.name, product: product.name }
  try {
    const figures = await scenario.run({ ...options, product, onDelay })
    const broken = figures
      .filter((each) => !holds(each))
      .map(({ name, printed, bar }) => {
        return `${name}: ${printed}, bar ${bar!.printed}`
      })
    return { ...base, figures, machine: machine(), ownDelay, broken }
  } catch (thrown) {
    options.signal.throwIfAborted()
    const broken = [`not measured: ${(thrown as Error).message}`]
    return { ...base, figures: [], machine: machine(), ownDelay, broken }
  }
}
