// A release of this repository's manifests and changesets, in a copy: what `npm run release:version` leaves behind must agree.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishedPackages, readManifest, root } from '../src/published.ts'

const packages = publishedPackages()
const copied = [
  'package.json',
  'pnpm-workspace.yaml',
  '.changeset',
  'tooling/changelog',
  'tooling/check',
  'deploy/README.md',
  'deploy/helm/wayleave/Chart.yaml',
  'docs/first-hour.md',
]
let copy: string

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const problems = (): unknown =>
  JSON.parse(
    node(
      '--input-type=module',
      '--eval',
      "import { versions } from './tooling/check/versions.mjs'; console.log(JSON.stringify(await versions()))",
    ),
  )

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'wayleave-release-'))
  const manifests = [...packages.values()].flatMap(({ folder }) =>
    ['package.json', 'CHANGELOG.md'].map((name) => relative(root, join(folder, name))),
  )
  for (const path of [...copied, ...manifests]) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await cp(join(root, path), join(copy, path), { recursive: true }).catch((failed: NodeJS.ErrnoException) => {
      if (failed.code !== 'ENOENT') throw failed
    })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  await writeFile(
    join(copy, '.changeset/a-last-one.md'),
    "---\n'@wayleave/auth': patch\n---\n\nMended one thing.\n\n- Mended another one.\n",
  )
  const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: copy, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('-c', 'user.name=test', '-c', 'user.email=test@example.org', 'commit', '--allow-empty', '--message=First')
}, 60_000)
afterAll(() => rm(copy, { recursive: true, force: true }))

describe('a release', () => {
  it('begins with versions, changelogs and changesets that agree', () => {
    expect(problems()).toEqual([])
  })

  it('leaves them in agreement, and each package at the next version', { timeout: 60_000 }, async () => {
    const before = new Map([...packages].map(([name, { manifest }]) => [name, manifest.version]))
    node(join(root, 'node_modules/@changesets/cli/bin.js'), 'version')
    node('tooling/check/versions.mjs')
    expect(problems()).toEqual([])
    const moved = [...packages].filter(
      ([name, { folder }]) => readManifest(join(copy, relative(root, folder))).version !== before.get(name),
    )
    expect(moved.map(([name]) => name)).toContain('@wayleave/auth')
    for (const [name, version] of before) {
      if (version === '0.0.0') expect([name, readManifestOf(name).version]).toEqual([name, '0.1.0'])
    }
  })

  it('prints a line for each line of a changeset, without hashes', async () => {
    const { version } = readManifestOf('@wayleave/auth')
    const changelog = await readFile(join(copy, 'packages/auth/CHANGELOG.md'), 'utf8')
    expect(changelog).toContain('\n- Mended one thing.\n- Mended another one.\n')
    const notes = node('tooling/check/release-notes.mjs', `@wayleave/auth@${version}`)
    expect(notes).toContain('- Mended another one.\n')
    expect(notes).not.toMatch(/^## /m)
  })
})

function readManifestOf(name: string): { readonly version: string } {
  return readManifest(join(copy, relative(root, packages.get(name)!.folder)))
}
