import { printQuantity } from '@wayleave/evm-types'
import { elementSpan, type Replacement, rewriteParams } from './rewrite-params.ts'
import type { Stage } from './stage.ts'

/** `eth_getBlockReceipts`: `pending` means `latest`, and a decimal block number becomes a hex quantity. Source: Spec §3, §4.6. */
export const blockReceiptsRule: Stage = {
  name: 'the block of eth_getBlockReceipts',
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

/** Tells decimal digits of at most 64 bits; no node has a longer block number. */
function isDecimal(digits: string): boolean {
  return /^(?:0|[1-9]\d{0,19})$/.test(digits)
}

/** `eth_getStorageAt`: a block parameter that is missing, or null, means `latest`. */
export const storageAtRule: Stage = {
  name: 'the block of eth_getStorageAt',
  methods: ['eth_getStorageAt'],
  apply: rewriteParams((args, text): Replacement | undefined => {
    if (args.length === 3 && args[2] === null) return { ...elementSpan(text, 2), by: '"latest"' }
    if (args.length !== 2) return undefined
    const { end } = elementSpan(text, 1)
    return { start: end, end, by: ',"latest"' }
  }),
}
