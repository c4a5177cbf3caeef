import { directiveValues, neverSkips } from '@wayleave/auth'
import { object, oneOf, optional, type Schema } from '@wayleave/jsonrpc-core/schema'

type Values = typeof directiveValues

/** Directives, as operators choose them. One that a store has already is shown as it is, whatever it is. */
interface ChosenDirectives {
  readonly consistency?: Values['consistency'][number]
  readonly marks?: Values['marks'][number]
  readonly skipCache?: Values['skipCache'][number] | typeof neverSkips
}

/** Checks directives that operators choose. */
export const chosenDirectives: Schema<ChosenDirectives> = object<ChosenDirectives>(
  `directives: ${Object.keys(directiveValues).join(', ')}`,
  {
    consistency: optional(oneOf(...directiveValues.consistency)),
    marks: optional(oneOf(...directiveValues.marks)),
    skipCache: optional(oneOf(...directiveValues.skipCache, neverSkips)),
  },
  { closed: true },
)
