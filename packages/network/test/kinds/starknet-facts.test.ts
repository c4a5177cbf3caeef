import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import { expect, it } from 'vitest'
import { starknet } from '../../src/kinds/starknet.ts'

it.each(starknetVersions)('what is known of a method of Starknet holds in %s', (version) => {
  const methods = Object.entries<MethodFacts[string]>(starknetMethods[version])
  expect(methods.length).toBeGreaterThan(20)
  for (const [method, { effect, subscription }] of methods) {
    const { summary: _, ...known } = starknet.facts[method]!
    // Neither where its block stands nor what its params are called, which depend on the version.
    expect(known).toEqual({ effect, ...(subscription && { subscription }) })
  }
})
