import { readFileSync } from 'node:fs'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { expect, test } from 'vitest'
import * as evmTypes from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const methods: MethodFacts & Readonly<Record<string, { readonly source: string }>> = evmTypes.evmMethods

const methodsPage = readFileSync(new URL('../../../docs/packages/evm-types.md', import.meta.url), 'utf8')

test('the table of methods in docs/packages says what the method table says', () => {
  const rows = [...methodsPage.matchAll(/^\| `(\w+_\w+)` \| (.*) \| (\w+) \| (\w+) \| (.+) \|$/gm)].map(
    ([, ...cells]) => cells,
  )
  const expected = Object.entries(methods).map(([name, { paramNames, effect, cache, source }]) => [
    name,
    paramNames!.join(', '),
    effect,
    cache ?? 'never',
    source,
  ])
  expect(rows).toEqual(expected)
})

test('every function of the package is in the README', () => {
  const functions = Object.entries(evmTypes).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
  expect(functions.filter((name) => !readme.includes(`\`${name}`))).toEqual([])
})
