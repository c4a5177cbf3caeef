/** The versions of the Starknet RPC that have tables here: a patch release counts as its minor version, except 0.5.1. */
export type StarknetVersion = '0.5.1' | '0.6' | '0.7' | '0.8' | '0.9' | '0.10'

/** Oldest first. */
export const starknetVersions: readonly StarknetVersion[] = ['0.5.1', '0.6', '0.7', '0.8', '0.9', '0.10']

/** The version that a node names in `starknet_specVersion`, such as `0.8.1` or `0.10.0-rc.1`; undefined for one without a table. */
export function versionOf(specVersion: string): StarknetVersion | undefined {
  const match = /^v?0\.(0|[1-9]\d*)(?:\.\d+)?(?:[-+].*)?$/.exec(specVersion)
  if (match === null) return undefined
  const minor = Number(match[1])
  return starknetVersions.find((version) => Number(version.split('.')[1]) === minor)
}

/** The segment of a path that names a version: `v0_8`; `v0_5` for 0.5.1. */
export function pathOf(version: StarknetVersion): string {
  return `v0_${version.split('.')[1]}`
}

/** The version of such a segment; `v0_5_1` counts, too. */
export function versionOfPath(segment: string): StarknetVersion | undefined {
  return /^v0(?:_\d+){1,2}$/.test(segment) ? versionOf(segment.slice(1).replaceAll('_', '.')) : undefined
}
