// The tables of 0.6 and later are those of the published documents: methods, params in their order, errors and their words.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { starknetErrorsOf, starknetMethods, type StarknetVersion } from '../src/index.ts'

interface Facts {
  readonly methods: Readonly<Record<string, { readonly params: readonly string[]; readonly errors: readonly number[] }>>
  readonly errors: Readonly<Record<string, readonly [name: string, message: string]>>
}

const documents = JSON.parse(
  readFileSync(new URL('./vectors/openrpc-facts.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Facts>>

/** Facts missing in the copies that the others were taken from, as starknet-specs has them. */
const leftOut: Readonly<Record<string, Facts['methods'][string]>> = {
  starknet_getStorageProof: {
    params: ['block_id', 'class_hashes?', 'contract_addresses?', 'contracts_storage_keys?'],
    errors: [24, 42],
  },
  starknet_traceBlockTransactions: { params: ['block_id'], errors: [24] },
  // The document of 0.6.0 names an error that it does not define: it was 25 before, and is 29.
  starknet_traceTransaction: { params: ['transaction_hash'], errors: [10, 29] },
}

describe.each([
  ['0.6', '0.6.0', ['starknet_traceBlockTransactions', 'starknet_traceTransaction']],
  ['0.7', '0.7.1', []],
  ['0.8', '0.8.1', ['starknet_getStorageProof']],
  ['0.9', '0.9.0', ['starknet_getStorageProof']],
  ['0.10', '0.10.2', ['starknet_getStorageProof']],
] as const)('%s', (version: StarknetVersion, release, added) => {
  const document = documents[release]!
  const table = starknetMethods[version] as unknown as Facts['methods'] &
    Readonly<Record<string, { readonly paramNames: readonly string[] }>>

  test(`has the methods of the document of ${release}, their params in its order and their errors`, () => {
    const ours = Object.entries(table).map(([name, { paramNames, errors }]) => {
      return [name, { params: paramNames, errors: errors.toSorted((a, b) => a - b) }] as const
    })
    const more = Object.fromEntries(added.map((name) => [name, leftOut[name]]))
    expect(Object.fromEntries(ours)).toEqual({ ...document.methods, ...more })
  })

  test(`has the errors of the document of ${release}, by its words`, () => {
    const ours = Object.entries(starknetErrorsOf(version)).map(([code, { name, message }]) => [code, [name, message]])
    expect(Object.fromEntries(ours)).toEqual(document.errors)
  })
})
