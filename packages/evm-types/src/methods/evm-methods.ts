import type { MethodTable } from '@wayleave/jsonrpc-core/schema'
import { methodDocs } from '../method-docs.ts'
import { evmRules, type EvmSchema } from './evm-rules.ts'

/** Checks and facts of every method, by name, and a sentence about each. */
export const evmMethods: MethodTable<EvmSchema> = /*#__PURE__*/ withDocs()

function withDocs(): MethodTable<EvmSchema> {
  const methods = Object.entries(evmRules).map(([method, rules]) => {
    const [summary, source] = methodDocs[method as keyof EvmSchema]
    return [method, { summary, source, ...rules }] as const
  })
  return Object.fromEntries(methods) as unknown as MethodTable<EvmSchema>
}
