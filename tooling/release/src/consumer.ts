import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

/** An empty project in which one package was installed. */
export interface Consumer extends AsyncDisposable {
  readonly folder: string
  /** The names of all that was installed, sorted. */
  readonly installed: readonly string[]
}

export interface InstallFrom {
  /** The registry of the packages of this repository. */
  readonly url: string
  /** Whether it has those of other authors, too. */
  readonly isWhole: boolean
}

/** Flags by which npm finds its packages. */
export function registryFlags({ url, isWhole }: InstallFrom): readonly string[] {
  return isWhole ? [`--registry=${url}`, '--prefer-online'] : [`--@wayleave:registry=${url}`]
}

/** Installs a package into an empty project by npm. */
export async function installAlone(name: string, version: string, from: InstallFrom): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-consumer-'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  // A cache of its own: what this registry serves is no copy of the real one's.
  const cache = from.isWhole ? [`--cache=${join(folder, '.cache')}`] : []
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--save-exact', ...registryFlags(from), ...cache]
  await run('npm', ['install', `${name}@${version}`, ...flags], { cwd: folder })
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly optional?: boolean }>>
  }
  // Optional ones differ by machine.
  const paths = Object.entries(lock.packages).flatMap(([path, { optional }]) => (optional === true ? [] : [path]))
  const names = paths.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  return {
    folder,
    installed: [...new Set(names)].toSorted(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
