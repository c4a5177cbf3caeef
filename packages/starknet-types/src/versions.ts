/** The versions of the Starknet RPC that have tables here: a patch release counts as its minor version, except 0.5.1. */
export type StarknetVersion = '0.5.1' | '0.6' | '0.7' | '0.8' | '0.9' | '0.10'

/** Oldest first. */
export const starknetVersions: readonly StarknetVersion[] = ['0.5.1', '0.6', '0.7', '0.8', '0.9', '0.10']

interface VersionsFrom {
  readonly '0.5.1': StarknetVersion
  readonly '0.6': Exclude<StarknetVersion, '0.5.1'>
  readonly '0.7': '0.7' | '0.8' | '0.9' | '0.10'
  readonly '0.8': '0.8' | '0.9' | '0.10'
  readonly '0.9': '0.9' | '0.10'
  readonly '0.10': '0.10'
}

/** `Then` in the versions from `Since` on, `Before` in those before it. */
export type From<V extends StarknetVersion, Since extends StarknetVersion, Then, Before> = V extends VersionsFrom[Since]
  ? Then
  : Before

/** The minor number of a version: 5 for 0.5.1, 10 for 0.10. */
export type MinorVersion = 5 | 6 | 7 | 8 | 9 | 10

/** Facts that changed: those that are new in each version; null: all is gone. */
export type Changes<T> = Readonly<Partial<Record<MinorVersion, Partial<T> | null>>>

/** The facts in a version. */
export function factsIn<T>(minor: number, changes: Changes<T>): T {
  return (minor < 5 ? {} : { ...factsIn(minor - 1, changes), ...changes[minor as MinorVersion] }) as T
}

/** Whether a version came before another one. */
export function isBefore(version: StarknetVersion, other: StarknetVersion): boolean {
  return minorOf(version) < minorOf(other)
}

/** The minor number of a version. */
export function minorOf(version: StarknetVersion): MinorVersion {
  return Number(version.split('.')[1]) as MinorVersion
}

/** The version that a node names in `starknet_specVersion`, such as `0.8.1` or `0.10.0-rc.1`; undefined for one without a table. */
export function versionOf(specVersion: string): StarknetVersion | undefined {
  const match = /^v?0\.(0|[1-9]\d*)(?:\.\d+)?(?:[-+].*)?$/.exec(specVersion)
  if (match === null) return undefined
  const minor = Number(match[1])
  return starknetVersions.find((version) => minorOf(version) === minor)
}

/** The segment of a path that names a version: `v0_8`; `v0_5` for 0.5.1. */
export function pathOf(version: StarknetVersion): string {
  return `v0_${version.split('.')[1]}`
}

/** The version of such a segment; `v0_5_1` counts, too. */
export function versionOfPath(segment: string): StarknetVersion | undefined {
  return /^v0(?:_\d+){1,2}$/.test(segment) ? versionOf(segment.slice(1).replaceAll('_', '.')) : undefined
}
