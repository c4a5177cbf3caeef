// `src/starknet/named-starknet-methods.ts` is printed from the method tables: with PRINT=1 in the environment, this test writes it anew.
import { starknetMethods } from '@wayleave/starknet-types'
import { expect, it } from 'vitest'
import { printed, type PrintedMethod, printInterface } from '../print-methods.ts'

interface Facts {
  readonly summary: string
  readonly source: string
  readonly paramNames: readonly string[]
}

const versions = Object.entries(starknetMethods) as unknown as [string, Readonly<Record<string, Facts>>][]
const newest = versions.at(-1)![0]

/** The versions that have a method. */
const versionsOf = (method: string): string[] =>
  versions.filter(([, table]) => Object.hasOwn(table, method)).map(([version]) => version)

/** The interface that a method stands in, by the versions that have it. */
function groupOf(method: string): string {
  const having = versionsOf(method)
  const since = having[0]!.split('.').slice(0, 2).join('_')
  return having.at(-1) === newest ? `Since${since}` : `Until${having.at(-1)!.replace('.', '_')}`
}

/** The methods of all versions, with the facts of the newest that has them. */
const methods = Object.entries<Facts>(Object.assign({}, ...versions.map(([, table]) => table))).filter(
  ([method]) => method !== 'starknet_unsubscribe',
)
const groups = [...new Set(methods.map(([method]) => groupOf(method)))].toSorted()

function methodOf(method: string, { summary, source, paramNames }: Facts): PrintedMethod {
  const name = method.replace('starknet_', '')
  const isSubscription = name.startsWith('subscribe')
  const mark = paramNames.every((param) => param.endsWith('?')) ? '?' : ''
  const own = `params${mark}: Params<V, '${method}'>`
  const options = `options?: ${isSubscription ? 'StarknetEventOptions' : 'CallOptions'}`
  return {
    name,
    method,
    summary,
    source,
    params: paramNames.length === 0 ? [options] : [own, options],
    result: isSubscription ? `Events<V, '${name.replace('subscribe', '')}'>` : `Answer<V, '${method}'>`,
  }
}

it('the methods of Starknet by name are documented as the tables say', () => {
  // Mapped types would lose the sentences in editors.
  const interfaces = groups.map((group) =>
    printInterface(
      '/** As version `V` has them. @throws SchemaError, RpcError */',
      `${group}<V extends StarknetVersion>`,
      methods.filter(([method]) => groupOf(method) === group).map(([method, facts]) => methodOf(method, facts)),
    ),
  )
  const members = versions.map(([version, table]) => {
    const own = groups.filter((group) =>
      methods.some(([name]) => groupOf(name) === group && Object.hasOwn(table, name)),
    )
    return `  readonly '${version}': ${own.map((group) => `${group}<'${version}'>`).join(' & ')}\n`
  })
  const text = `// Printed by test/starknet/named-methods.test.ts from the method tables.
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { StarknetEventOptions } from './starknet-events.ts'
import type { Answer, Events, Params } from './starknet-types.ts'

${interfaces.join('\n').replaceAll('export interface', 'interface')}
/** The \`starknet_*\` methods of each version. */
export interface NamedStarknetMethods {
${members.join('')}}
`
  expect(printed('starknet/named-starknet-methods.ts', text)).toBe(text)
})
