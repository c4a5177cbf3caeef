import {
  starknetMethods,
  type StarknetMethodSpec,
  type StarknetVersion,
  starknetVersions,
  versionOf,
  versionOfPath,
} from '@wayleave/starknet-types'
import { UsageError } from '../command.ts'
import { findMethod, type Method } from './methods.ts'

/** A method of one version of the Starknet API. Its params always have names. */
export interface StarknetMethod extends Method {
  readonly paramNames: readonly string[]
}

/** Lists the methods of a version, without subscriptions. */
export function starknetMethodsOf(version: StarknetVersion): readonly StarknetMethod[] {
  return Object.entries<StarknetMethodSpec<never, never>>(starknetMethods[version] as never)
    .filter(([, { effect }]) => effect !== 'session')
    .map(([name, spec]) => ({ name, ...spec }))
}

/** Finds a method of a version by a typed name. @throws UsageError that suggests a similar name, or the version that has it */
export function findStarknetMethod(text: string, version: StarknetVersion): StarknetMethod {
  const here = starknetMethodsOf(version)
  const other = starknetVersions.findLast((each) => has(each, text))
  if (other === undefined || has(version, text)) return findMethod(text, here) as StarknetMethod
  throw new UsageError(`version ${version} has no method "${text}"; --spec-version ${other} has`)
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
