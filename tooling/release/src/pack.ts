import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.ts'
import { type PublishedPackage, root } from './published.ts'

/** Packs packages into a folder, as a release does, but for those whose tarballs `ready` has. Resolves with all, by name. Needs a build. */
export async function pack(
  packages: Iterable<PublishedPackage>,
  target: string,
  ready?: string,
): Promise<ReadonlyMap<string, string>> {
  const readyFiles = ready === undefined ? [] : await readdir(ready)
  const all = [...packages].map(({ manifest: { name, version } }) => {
    const file = `${name.slice(1).replace('/', '-')}-${version}.tgz`
    return { name, file, isReady: readyFiles.includes(file) }
  })
  const filters = all.flatMap(({ name, isReady }) => (isReady ? [] : ['--filter', name]))
  if (filters.length > 0) await run('pnpm', ['-r', ...filters, 'pack', '--pack-destination', target], { cwd: root })
  const packed = await readdir(target)
  return new Map(
    all.map(({ name, file, isReady }) => {
      if (!isReady && !packed.includes(file)) throw new Error(`expected ${file} to be packed, got ${packed.join(', ')}`)
      return [name, isReady ? join(ready!, file) : join(target, file)]
    }),
  )
}

/** Names the packages of this repository that a package needs, itself among them. */
export function neededOf(name: string, packages: ReadonlyMap<string, PublishedPackage>): ReadonlySet<string> {
  const needed = new Set<string>()
  const visit = (one: string): void => {
    const found = packages.get(one)
    if (found === undefined || needed.has(one)) return
    needed.add(one)
    for (const dependency of Object.keys(found.manifest.dependencies ?? {})) visit(dependency)
  }
  visit(name)
  return needed
}
