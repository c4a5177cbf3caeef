import { elementSpan, type Replacement, rewriteParams } from './rewrite-params.ts'
import type { MethodRule } from './method-rules.ts'

/** `eth_getStorageAt`: a block parameter that is missing, or null, means `latest`. */
export const storageAtRule: MethodRule = {
  methods: ['eth_getStorageAt'],
  apply: rewriteParams((args, text): Replacement | undefined => {
    if (args.length === 3 && args[2] === null) return { ...elementSpan(text, 2), by: '"latest"' }
    if (args.length !== 2) return undefined
    const { end } = elementSpan(text, 1)
    return { start: end, end, by: ',"latest"' }
  }),
}
