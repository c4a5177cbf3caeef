import { evmMethods } from '@wayleave/evm-types'
import { didYouMean, type Issue, type IssuePath, nearestName } from '@wayleave/jsonrpc-core/schema'
import type { Config } from './config.ts'
import { defaultDeny } from './denied-methods.ts'
import { namedUpstream } from './upstream-config.ts'

/** Warns of names in lists of methods that are nearly those of known methods, and so match none of them. */
export function nameWarnings({ methods, networks, plans = {} }: Config): readonly Issue[] {
  const placed: readonly (readonly [IssuePath, readonly string[]])[] = [
    [['methods', 'deny'], methods?.deny ?? []],
    ...Object.entries(networks).flatMap(([slug, network]) =>
      network.upstreams.map(namedUpstream).flatMap((upstream, i) =>
        (['allow', 'deny'] as const).map((list): readonly [IssuePath, readonly string[]] => {
          return [['networks', slug, 'upstreams', i, 'methods', list], upstream.methods?.[list] ?? []]
        }),
      ),
    ),
  ]
  const all = known()
  return [
    ...placed.flatMap(([path, entries]) => entries.flatMap((entry, i) => nearMiss(entry, [...path, i], all))),
    ...Object.entries(plans).flatMap(([name, plan]) =>
      Object.keys(plan.methods ?? {}).flatMap((entry) => nearMiss(entry, ['plans', name, 'methods', entry], all)),
    ),
  ]
}

function nearMiss(entry: string, path: IssuePath, { names, prefixes }: KnownNames): readonly Issue[] {
  const isPrefix = entry.endsWith('*')
  const start = entry.replace(/\*$/, '').toLowerCase()
  // The names of Starknet are loaded for its networks alone.
  if (start.startsWith(starknet)) return []
  const isKnown = isPrefix
    ? [...names, ...prefixes].some((name) => name.toLowerCase().startsWith(start))
    : names.some((name) => name.toLowerCase() === start)
  const near = isKnown ? undefined : nearestName(entry, isPrefix ? prefixes : names)
  if (near === undefined || tooFar(entry, near)) return []
  return [{ path, expected: 'a method that is known', received: JSON.stringify(entry), hint: didYouMean(near) }]
}

const starknet = 'starknet_'

/** Tells names that share too little to be a typing error: nodes have methods of their own, such as `eth_getRawReceipts`. */
function tooFar(entry: string, near: string): boolean {
  return Math.abs(entry.length - near.length) > 2
}

interface KnownNames {
  readonly names: readonly string[]
  /** Namespaces with their star. */
  readonly prefixes: readonly string[]
}

function known(): KnownNames {
  const exact = defaultDeny.filter((entry) => !entry.endsWith('*'))
  const names = [...new Set([...Object.keys(evmMethods), ...exact])]
  const spaces = names.map((name) => `${name.slice(0, name.indexOf('_'))}_*`)
  const prefixes = [...new Set([...spaces, `${starknet}*`, ...defaultDeny.filter((entry) => entry.endsWith('*'))])]
  return { names, prefixes }
}
