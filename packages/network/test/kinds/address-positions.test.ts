// The rule of addresses at each position that a method's table names: one that is not listed is denied wherever it stands.
import { createAccessCheck, parseRules } from '@wayleave/auth'
import { rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import type { AddressesOf, AddressFacts } from '../../src/kinds/call-addresses.ts'
import { networkKinds } from '../../src/kinds/index.ts'
import { starknet } from '../../src/kinds/starknet.ts'
import { withHints } from '../../src/hints/call-hints.ts'

const listed = '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0'
const other = `0x${'1'.repeat(40)}`
/** Members that nodes expect lists in. */
const lists = new Set(['authorizationList', 'blockStateCalls', 'calls', 'transactions'])
const project = { id: 'p', name: 'p', requireSecret: false }
const grant = { project, rules: parseRules({ addresses: [listed] }) }

type Params = Record<string, unknown>

/** Puts an address at a path below `holder`. */
function put(holder: Params, [step, ...rest]: readonly string[], address: string): void {
  if (step === '*') holder[address] = {}
  else if (rest.length === 0) holder[step!] = address
  else {
    const known = holder[step!] as Params | readonly [Params] | undefined
    const inner = (Array.isArray(known) ? known[0] : known) ?? {}
    put(inner as Params, rest, address)
    holder[step!] = lists.has(step!) ? [inner] : inner
  }
}

/** A call with an address at each path of its method: `other` at one of them, `listed` at all others. */
function callOf(method: string, paths: readonly string[], odd: string | undefined): RpcRequest {
  const byIndex: Params = {}
  for (const path of paths) put(byIndex, path.split('.'), path === odd ? other : listed)
  const last = Math.max(...Object.keys(byIndex).map(Number))
  const params = Array.from(
    { length: last + 1 },
    (_, i) => byIndex[i] ?? (method === 'eth_subscribe' ? 'logs' : 'latest'),
  )
  if (method === 'trace_callMany') params[0] = [[params[0], ['trace']]]
  return { method, params: rawJsonFromValue(params), notification: false }
}

const { evm, rollup } = networkKinds
const kinds: readonly (readonly [string, AddressFacts, AddressesOf])[] = [
  ['a network of kind evm', evm.facts, evm.addressesOf],
  ['a network of kind rollup', rollup.facts, rollup.addressesOf],
  ...starknetVersions.map(
    (version) =>
      [
        `Starknet ${version}`,
        starknetMethods[version] as AddressFacts,
        (request: RpcRequest) => starknet.addressesOf(withHints(request, { apiVersion: version })),
      ] as const,
  ),
]

describe.each(kinds)('the rule of addresses on %s', (_kind, facts, addressesOf) => {
  const access = createAccessCheck({ addressesOf })
  const places = Object.entries(facts).flatMap(([method, { addressPaths = [] }]) =>
    addressPaths.map((path) => [method, path, addressPaths] as const),
  )

  it('has places to look at', () => {
    expect(places.length).toBeGreaterThan(5)
  })

  it.each(places)('denies %s with an address at %s that is not listed', (method, path, paths) => {
    expect(access.decideCall(grant, callOf(method, paths, undefined))).toEqual({ allowed: true })
    expect(access.decideCall(grant, callOf(method, paths, path))).toEqual({ allowed: false, reason: 'address' })
  })
})
