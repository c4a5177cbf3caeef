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
    const typeParams = narrows ? '<Full extends boolean>' : ''
    const common = { name, method, summary, source, typeParams, result: `Answer<${args}>` }
    const byPlace = (paramNames as readonly string[]).map((param, place) =>
      param === 'fullTransactions' ? `${param}: Full` : `${param}: Param<'${method}', ${place}>`,
    )
    const list = { ...common, params: [`params: Params<${args}>`, 'options?: CallOptions'] }
    return [{ ...common, params: [...byPlace, 'options?: CallOptions'] }, ...(paramNames.length === 0 ? [] : [list])]
  })
}

it('the methods by name are documented as the table says', () => {
  const text = `// Printed by test/named-methods.test.ts from the method table.
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { Answer, Param, Params } from './methods.ts'

${printInterface(
  `/**
 * The \`eth_*\` methods of the table: \`getStorageAt\`, \`estimateGas\`, \`blockNumber\` … Subscriptions are \`client.subscribe\`. Each takes its
 * params one by one, \`getBlockByNumber('latest', false)\`, or as an array. \`null\` is the answer where a node has no such block, transaction or
 * receipt. @throws SchemaError, RpcError
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
