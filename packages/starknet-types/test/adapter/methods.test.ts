import { describe, expect, it } from 'vitest'
import { methods } from '../../src/adapter/methods.ts'
import { namesIn } from '../../src/adapter/params.ts'
import { starknetMethods, starknetVersions } from '../../src/index.ts'
import { since } from './things.ts'

const named = (params: readonly string[]): readonly string[] => params.map((name) => name.replace('?', ''))

describe('what the adapter knows of methods', () => {
  it.each(starknetVersions)('is what the table of %s says', (version) => {
    const table = Object.entries(starknetMethods[version]).map(([name, { paramNames }]) => [name, named(paramNames)])
    const known = Object.entries(methods)
      .filter(([, row]) => row.since === undefined || since(version, row.since))
      // Gone in 0.9: no pair of versions passes a subscription.
      .filter(([name]) => name !== 'starknet_subscribePendingTransactions' || version === '0.8')
      .map(([name, row]) => [name, namesIn(row, version)])
    const [ours, theirs] = [known, table].map((entries) =>
      Object.fromEntries(entries.filter(([name]) => !/subscribe/.test(String(name)))),
    )
    expect(ours).toEqual(theirs)
    expect(known.map(([name]) => name).toSorted()).toEqual(table.map(([name]) => name).toSorted())
  })
})
