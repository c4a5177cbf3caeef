import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Names of the packages that a source file imports at run time, itself and through others. */
function packagesOf(file: URL, seen: Set<string> = new Set()): Set<string> {
  const packages = new Set<string>()
  if (seen.has(file.href)) return packages
  seen.add(file.href)
  for (const [, from] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^']*from '([^']+)'/gm)) {
    const found = from!.startsWith('.') ? packagesOf(new URL(from!, file), seen) : [from!]
    for (const each of found) packages.add(each)
  }
  return packages
}

test('the method table needs no cryptography and no transport', () => {
  const table = packagesOf(new URL('../src/methods/evm-methods.ts', import.meta.url))
  expect([...table]).toEqual(['@wayleave/jsonrpc-core/schema'])
  const slots = packagesOf(new URL('../src/storage-slot.ts', import.meta.url))
  expect([...slots].toSorted()).toContain('@noble/hashes/sha3.js')
})
