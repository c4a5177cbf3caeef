// `src/named-methods.ts` is printed from the method table: with PRINT=1 in the environment, this test writes it anew.
import { evmMethods } from '@wayleave/evm-types'
import { expect, it } from 'vitest'
import { printed, type PrintedMethod, printInterface } from './print-methods.ts'

const table: Readonly<Record<string, (typeof evmMethods)['eth_call' | 'eth_chainId' | 'eth_subscribe']>> =
  evmMethods as never

function named(...prefixes: readonly string[]): PrintedMethod[] {
  return Object.entries(table).flatMap(([method, { effect, paramNames = [], summary, source }]) => {
    const [prefix, name] = method.split('_') as [string, string]
    if (!prefixes.includes(prefix) || effect === 'session') return []
    const narrows = paramNames.includes('fullTransactions' as never)
    const args = narrows ? `'${method}', Full` : `'${method}'`
    const params = [...(paramNames.length === 0 ? [] : [`params: Params<${args}>`]), 'options?: CallOptions']
    const typeParams = narrows ? '<Full extends boolean>' : ''
    return [{ name, method, summary, source, typeParams, params, result: `Answer<${args}>` }]
  })
}

it('the methods by name are documented as the table says', () => {
  const text = `// Printed by test/named-methods.test.ts from the method table.
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { Answer, Params } from './methods.ts'

${printInterface(
  `/**
 * The \`eth_*\` methods of the table: \`getStorageAt\`, \`estimateGas\`, \`blockNumber\` … Subscriptions are \`client.subscribe\`. Each takes its
 * params as an array, or nothing if it has none. @throws SchemaError, RpcError
 */`,
  'EthMethods',
  named('eth'),
)}
${printInterface(
  `/** The methods of rollup nodes: \`getInfo\` (Spec §4.8), \`syncStatus\` (op-node) … @throws SchemaError, RpcError */`,
  'RollupMethods',
  named('rollup', 'optimism'),
)}`
  expect(printed('named-methods.ts', text)).toBe(text)
})
