import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The members of a manifest that are read here. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A published package of this repository. */
export interface PublishedPackage {
  readonly folder: string
  readonly manifest: Manifest
  /** Its README says that it is for browsers, too. */
  readonly isForBrowsers: boolean
  /** What a program imports, such as `@wayleave/client/gas`. */
  readonly entries: readonly string[]
  /** Those of them that are for Node alone. */
  readonly nodeEntries: readonly string[]
  /** Files that it exports, such as a schema. */
  readonly files: readonly string[]
}

/** Entry points that a package for browsers has for Node. */
const forNodeAlone = ['./node', './server', './local', './kubo']

/** Reads the published packages, by name. */
export function publishedPackages(): ReadonlyMap<string, PublishedPackage> {
  const packages = ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => describe(folder, manifest))
  return new Map(packages.map((each) => [each.manifest.name, each]))
}

/** Reads the manifest of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function describe(folder: string, manifest: Manifest): PublishedPackage {
  const [intro = ''] = readFileSync(join(folder, 'README.md'), 'utf8').split(/^## /m)
  const isForBrowsers = /\bbrowsers\b/.test(intro)
  // Patterns are internal; they may change at any time.
  const paths = Object.keys(manifest.exports ?? {}).filter((path) => !path.includes('*'))
  const named = (path: string): string => `${manifest.name}${path.slice(1)}`
  const entries = paths.filter((path) => !path.endsWith('.json'))
  return {
    folder,
    manifest,
    isForBrowsers,
    entries: entries.map(named),
    nodeEntries: entries.filter((path) => !isForBrowsers || forNodeAlone.includes(path)).map(named),
    files: paths.filter((path) => path.endsWith('.json')).map(named),
  }
}
