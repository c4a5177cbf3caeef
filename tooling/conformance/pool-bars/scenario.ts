import type { Product } from './gateways/gateway.ts'
import type { LoadResult } from './load/load-program.ts'
import type { Figure } from './measure/figure.ts'

export interface RunOptions {
  readonly product: Product
  /** The length of the load that is measured. */
  readonly seconds: number
  /** The calls of scenarios that count calls instead of time. */
  readonly calls: number
  readonly signal: AbortSignal
  /** Called with how late the callers' own process was. */
  readonly onDelay: (delay: LoadResult['ownDelay']) => void
}

export interface Scenario {
  readonly name: string
  /** A sentence for people, without a full stop. */
  readonly does: string
  /** Measures one gateway; figures of one name belong together. @throws Error where it could not be measured */
  run(options: RunOptions): Promise<readonly Figure[]>
}
