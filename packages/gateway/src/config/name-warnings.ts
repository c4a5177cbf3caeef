import { evmMethods } from '@wayleave/evm-types'
import { didYouMean, type Issue, type IssuePath, nearestName } from '@wayleave/jsonrpc-core/schema'
import { defaultEventPrices, defaultPrices } from '@wayleave/metering'
import { namedUpstream } from '@wayleave/network/config'
import type { Config } from './config.ts'
import { defaultDeny } from './denied-methods.ts'

/** Names at one place of a configuration: a list, or the members of a table. */
interface Names {
  readonly path: IssuePath
  /** Undefined: the member is left out. */
  readonly given: readonly string[] | Readonly<Record<string, unknown>> | undefined
  /** Whether names are compared as they are written. Default: in any case. */
  readonly isExact?: true
  readonly vocabulary?: Vocabulary
}

interface Vocabulary {
  /** The noun of a warning. */
  readonly noun: string
  readonly names: readonly string[]
  /** Namespaces with their star. */
  readonly prefixes: readonly string[]
}

/** Warns of names that are nearly known ones, and so match none of them; and of those that one table has twice, in another case. */
export function nameWarnings(config: Config): readonly Issue[] {
  return placesOf(config).flatMap(({ path, given = [], isExact = false, vocabulary = methods }) => {
    const isList = Array.isArray(given)
    const names: readonly string[] = isList ? given : Object.keys(given)
    const misspelt = names.flatMap((name, i) => {
      const near = nearMiss(name, isExact, vocabulary)
      if (near === undefined) return []
      const words = { expected: `a ${vocabulary.noun} that is known`, received: JSON.stringify(name) }
      return [{ path: [...path, isList ? i : name], ...words, hint: didYouMean(near) }]
    })
    return isList || isExact ? misspelt : [...misspelt, ...twice(names, path)]
  })
}

function placesOf({ methods: denied, networks, projects = [], plans = {}, prices = {} }: Config): readonly Names[] {
  return [
    { path: ['methods', 'deny'], given: denied?.deny },
    ...Object.entries(networks).flatMap(([slug, { timeouts, upstreams }]): Names[] => [
      { path: ['networks', slug, 'timeouts', 'byMethod'], given: timeouts?.byMethod },
      ...upstreams.map(namedUpstream).flatMap((upstream, i): Names[] => {
        const path = ['networks', slug, 'upstreams', i]
        return [
          { path: [...path, 'methods', 'allow'], given: upstream.methods?.allow },
          { path: [...path, 'methods', 'deny'], given: upstream.methods?.deny },
          { path: [...path, 'budget', 'prices'], given: upstream.budget?.prices },
        ]
      }),
    ]),
    ...projects.flatMap(({ rules, timeouts }, i): Names[] => [
      { path: ['projects', i, 'rules', 'methods'], given: rules?.methods, isExact: true },
      { path: ['projects', i, 'timeouts', 'byMethod'], given: timeouts?.byMethod },
    ]),
    ...Object.entries(plans).map(([name, plan]): Names => ({ path: ['plans', name, 'methods'], given: plan.methods })),
    ...(['evm', 'rollup', 'starknet'] as const).map((kind): Names => {
      return { path: ['prices', kind], given: prices[kind], isExact: true }
    }),
    { path: ['prices', 'gas'], given: prices.gas, isExact: true, vocabulary: gasEndpoints },
    { path: ['prices', 'events'], given: prices.events, isExact: true, vocabulary: eventKinds },
  ]
}

function nearMiss(name: string, isExact: boolean, { names, prefixes }: Vocabulary): string | undefined {
  const written = (text: string): string => (isExact ? text : text.toLowerCase())
  const isPrefix = name.endsWith('*')
  const start = written(name.replace(/\*$/, ''))
  // The names of Starknet are loaded for its networks alone.
  if (start.startsWith(starknet)) return undefined
  const isKnown = isPrefix
    ? [...names, ...prefixes].some((known) => written(known).startsWith(start))
    : names.some((known) => written(known) === start)
  const near = isKnown ? undefined : nearestName(name, isPrefix ? prefixes : names)
  // Names that differ more are no typing errors: nodes have methods of their own, such as `eth_getRawReceipts`.
  return near !== undefined && Math.abs(name.length - near.length) <= 2 ? near : undefined
}

function twice(names: readonly string[], path: IssuePath): readonly Issue[] {
  const seen = new Set<string>()
  return names.flatMap((name) => {
    const isNew = !seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    const words = { expected: 'a name that stands once, in whatever case', received: 'a repetition of an earlier one' }
    return isNew ? [] : [{ path: [...path, name], ...words }]
  })
}

const starknet = 'starknet_'
const isPattern = (entry: string): boolean => entry.endsWith('*')
const methodNames = [...new Set([...Object.keys(evmMethods), ...defaultDeny.filter((entry) => !isPattern(entry))])]
const namespaces = methodNames.map((name) => `${name.slice(0, name.indexOf('_'))}_*`)
const methods: Vocabulary = {
  noun: 'method',
  names: methodNames,
  prefixes: [...new Set([...namespaces, `${starknet}*`, ...defaultDeny.filter(isPattern)])],
}
const gasEndpoints: Vocabulary = { noun: 'gas endpoint', names: Object.keys(defaultPrices['gas']!), prefixes: [] }
const eventKinds: Vocabulary = {
  noun: 'kind of subscription',
  names: [...Object.keys(defaultEventPrices), 'syncing', 'transactionReceipts'],
  prefixes: [],
}
