import {
  starknetMethods,
  type StarknetMethodSpec,
  type StarknetVersion,
  starknetVersions,
  versionOf,
  versionOfPath,
} from '@wayleave/starknet-types'
import { UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'
import { findMethod, type Method, plain } from './methods.ts'

/** A method of one version of the Starknet API. Its params always have names. */
export interface StarknetMethod extends Method {
  readonly paramNames: readonly string[]
  readonly subscription?: object
}

/** Lists the methods of a version, without subscriptions. */
export function starknetMethodsOf(version: StarknetVersion): readonly StarknetMethod[] {
  return methodsOf(version, ({ effect }) => effect !== 'session')
}

/** Lists the methods of a version that open a subscription; versions before 0.8 have none. */
export function starknetSubscriptionsOf(version: StarknetVersion): readonly StarknetMethod[] {
  return methodsOf(version, ({ subscription }) => subscription !== undefined)
}

/** Lists the methods of all versions with their summaries, without subscriptions. */
export function starknetSummaries(): readonly { readonly name: string; readonly summary: string }[] {
  const all = starknetVersions.flatMap((version) => starknetMethodsOf(version))
  return Array.from(new Map(all.map(({ name, summary }) => [name, summary])), ([name, summary]) => ({ name, summary }))
}

/** Prints `starknet_subscribeNewHeads` as its kind: `newHeads`. */
export function kindOf(name: string): string {
  const kind = name.replace('starknet_subscribe', '')
  return `${kind[0]!.toLowerCase()}${kind.slice(1)}`
}

type Spec = StarknetMethodSpec<never, never>

function methodsOf(version: StarknetVersion, chooses: (spec: Spec) => boolean): readonly StarknetMethod[] {
  return Object.entries<Spec>(starknetMethods[version] as never)
    .filter(([, spec]) => chooses(spec))
    .map(([name, spec]) => ({ name, ...spec }))
}

/** Finds a method of a version by a typed name. @throws UsageError that suggests a similar name, or the version that has it */
export function findStarknetMethod(text: string, version: StarknetVersion): StarknetMethod {
  const here = starknetMethodsOf(version)
  const other = starknetVersions.findLast((each) => has(each, text))
  if (other === undefined || has(version, text)) return findMethod(text, here) as StarknetMethod
  throw new UsageError(`version ${version} has no method "${text}"; --spec-version ${other} has`)
}

/** A subscription, and the version whose it is. */
export interface StarknetSubscription {
  readonly method: StarknetMethod
  readonly version: StarknetVersion
}

/** Finds a subscription by its typed kind: `newHeads`, `new-heads`. Without a version, in the newest that has it. @throws UsageError */
export function findSubscription(kind: string | undefined, wanted: StarknetVersion | undefined): StarknetSubscription {
  const versions = wanted === undefined ? starknetVersions.toReversed() : [wanted]
  for (const version of versions) {
    const found = subscriptionIn(kind ?? '', version)
    if (found !== undefined) return found
  }
  const names = [
    ...new Set(versions.flatMap((version) => starknetSubscriptionsOf(version).map(({ name }) => kindOf(name)))),
  ]
  if (names.length === 0)
    throw new UsageError(`version ${wanted} has no subscriptions: --spec-version 0.8 or later has`)
  if (kind === undefined) throw new UsageError(`expected a kind: ${names.join(', ')}`)
  throw new UsageError(`there is no subscription to "${kind}"${suggest(kind, names)}; there are ${names.join(', ')}`)
}

/** Finds a subscription of a version by its typed kind. */
export function subscriptionIn(kind: string, version: StarknetVersion): StarknetSubscription | undefined {
  const method = starknetSubscriptionsOf(version).find(({ name }) => plain(kindOf(name)) === plain(kind))
  return method && { method, version }
}

function has(version: StarknetVersion, text: string): boolean {
  try {
    return findMethod(text, starknetMethodsOf(version)) !== undefined
  } catch {
    return false
  }
}

/** Reads a version: `0.8`, `0.8.1` or `v0_8`. @throws UsageError */
export function readVersion(text: string): StarknetVersion {
  const version = versionOf(text) ?? versionOfPath(text)
  if (version !== undefined) return version
  throw new UsageError(`--spec-version: expected one of ${starknetVersions.join(', ')}, got "${text}"`)
}
