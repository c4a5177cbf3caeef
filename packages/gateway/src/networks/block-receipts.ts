import { printQuantity } from '@wayleave/evm-types'
import { elementSpan, type Replacement, rewriteParams } from './rewrite-params.ts'
import type { MethodRule } from './method-rules.ts'

/** `eth_getBlockReceipts`: `pending` means `latest`, and a decimal block number becomes a hex quantity. Source: Spec §3, §4.6. */
export const blockReceiptsRule: MethodRule = {
  methods: ['eth_getBlockReceipts'],
  apply: rewriteParams(([block], text): Replacement | undefined => {
    if (block === 'pending') return { ...elementSpan(text, 0), by: '"latest"' }
    if (typeof block !== 'number' && typeof block !== 'string') return undefined
    const span = elementSpan(text, 0)
    // The token, not its value: integers beyond 2^53 are exact there.
    const digits = typeof block === 'number' ? text.slice(span.start, span.end) : block
    return isDecimal(digits) ? { ...span, by: `"${printQuantity(BigInt(digits))}"` } : undefined
  }),
}

/** At most 64 bits long; what is longer is no block number of any node. */
function isDecimal(digits: string): boolean {
  return /^(?:0|[1-9]\d{0,19})$/.test(digits)
}
