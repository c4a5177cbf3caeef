import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type InstallFrom, registryFlags } from './consumer.ts'
import { run } from './run.ts'

interface Bom {
  readonly metadata: { readonly component: object }
}

/** Writes what a packed package installs as CycloneDX (JSON), by npm: `wayleave-auth-0.1.0.cdx.json` beside others. */
export async function writeSbom(tarball: string, from: InstallFrom, target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-sbom-'))
  try {
    await mkdir(join(folder, 'package'))
    await run('tar', ['-xzf', tarball, '-C', folder], { cwd: folder })
    const cwd = join(folder, 'package')
    const manifestFile = join(cwd, 'package.json')
    const { devDependencies: _dev, ...manifest } = JSON.parse(await readFile(manifestFile, 'utf8')) as Record<
      string,
      unknown
    >
    await writeFile(manifestFile, JSON.stringify(manifest))
    const flags = [
      '--omit=dev',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--ignore-scripts',
      ...registryFlags(from),
    ]
    await run('npm', ['install', ...flags], { cwd })
    const text = await run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=library', '--omit=dev'], { cwd })
    const bom = JSON.parse(text, (name, value: unknown) => withoutPlace(name, value, from.url)) as Bom
    const digest = createHash('sha512')
      .update(await readFile(tarball))
      .digest('hex')
    // npm names it by its folder.
    Object.assign(bom.metadata.component, { name: manifest['name'], hashes: [{ alg: 'SHA-512', content: digest }] })
    await writeFile(join(target, `${basename(tarball, '.tgz')}.cdx.json`), `${JSON.stringify(bom, undefined, 2)}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Leaves out references to the registry of this test, from which nobody else gets a package. */
function withoutPlace(name: string, value: unknown, url: string): unknown {
  if (name !== 'externalReferences') return value
  return (value as readonly { readonly url: string }[]).filter((reference) => !reference.url.startsWith(url))
}
