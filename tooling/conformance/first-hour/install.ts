import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** The folders of the published packages, by name. */
const folders = new Map(
  ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => [manifestOf(folder).name, folder]),
)

/** A project of somebody who has installed packages of this repository. */
export interface Installed {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * Packs packages of this repository, and lays them into a new project as npm would, without a registry: the dependencies of other
 * authors are those of this repository. Needs a build.
 */
export async function installPacked(...names: readonly string[]): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-first-hour-'))
  const modules = join(folder, 'node_modules')
  const packed = join(folder, 'packed')
  await mkdir(packed)
  const ours = new Map<string, string>()
  const theirs = new Map([['@types/node', join(root, 'node_modules/@types/node')]])
  const visit = (name: string): void => {
    if (ours.has(name)) return
    const from = folders.get(name)!
    ours.set(name, from)
    for (const needed of Object.keys(manifestOf(from).dependencies ?? {})) {
      if (folders.has(needed)) visit(needed)
      else theirs.set(needed, join(from, 'node_modules', needed))
    }
  }
  for (const name of names) visit(name)

  const filters = [...ours.keys()].flatMap((name) => ['--filter', name])
  const path = join(root, 'node_modules/.bin') + delimiter + process.env['PATH']
  await run('pnpm', ['-r', ...filters, 'pack', '--pack-destination', packed], {
    cwd: root,
    env: { ...process.env, PATH: path },
  })
  for (const name of ours.keys()) {
    const to = join(modules, name)
    await mkdir(to, { recursive: true })
    const tarball = readdirSync(packed).find((file) => file.startsWith(`${name.slice(1).replace('/', '-')}-0`))!
    await run('tar', ['-xzf', join(packed, tarball), '-C', to, '--strip-components=1'])
  }
  for (const [name, from] of theirs) {
    const to = join(modules, name)
    await mkdir(dirname(to), { recursive: true })
    await symlink(realpathSync(from), to, 'dir')
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'first-hour', private: true, type: 'module' }))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
