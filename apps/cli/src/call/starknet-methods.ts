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

/** A method of a version of the Starknet RPC; its params always have names. */
export interface StarknetMethod extends Method {
  readonly paramNames: readonly string[]
}

/** The methods of a version that are called, by name; subscriptions are not. */
export function starknetMethodsOf(version: StarknetVersion): readonly StarknetMethod[] {
  return Object.entries<StarknetMethodSpec<never, never>>(starknetMethods[version] as never)
    .filter(([, { effect }]) => effect !== 'session')
    .map(([name, spec]) => ({ name, ...spec }))
}

/** Finds a method of a version by what a person types. @throws UsageError with what is near, or the version that has it */
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

/** `0.8`, `0.8.1` or `v0_8`. @throws UsageError */
export function readVersion(text: string): StarknetVersion {
  const version = versionOf(text) ?? versionOfPath(text)
  if (version !== undefined) return version
  throw new UsageError(`--spec-version: expected one of ${starknetVersions.join(', ')}, got "${text}"`)
}
