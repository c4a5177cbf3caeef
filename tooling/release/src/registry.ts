import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest, root } from './published.ts'
import { run } from './run.ts'

/** A registry of npm on this machine. */
export interface Registry extends AsyncDisposable {
  readonly url: string
}

/** One version of a package: its manifest, and how to get its tarball. */
interface Version {
  readonly manifest: { readonly name: string; readonly version: string }
  tarball(): Promise<Buffer>
}

/** The packages that are installed here, of all authors. */
const store = join(root, 'node_modules/.pnpm')

/**
 * Serves tarballs of packages as npm's registry does. With `withStore` also what is installed in this repository, so that an install needs
 * no network: the versions that the lockfile names.
 */
export async function startRegistry(tarballs: Iterable<string>, withStore: boolean): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-registry-'))
  const ours = new Map<string, Version>()
  for (const file of tarballs) {
    const text = await run('tar', ['-xzOf', file, 'package/package.json'], { cwd: folder })
    const manifest = JSON.parse(text) as Version['manifest']
    ours.set(manifest.name, { manifest, tarball: () => readFile(file) })
  }
  const packed = new Map<string, Promise<Buffer>>()

  function versionsOf(name: string): readonly Version[] {
    const own = ours.get(name)
    if (own !== undefined) return [own]
    if (!withStore) return []
    const prefix = `${name.replace('/', '+')}@`
    const folders = readdirSync(store)
      .filter((entry) => entry.startsWith(prefix))
      .map((entry) => join(store, entry, 'node_modules', name))
      .filter((each) => existsSync(join(each, 'package.json')))
    // One version may be there several times, for several peers.
    const found = new Map(folders.map((each) => [readManifest(each).version, each]))
    return [...found.values()].map((each) => ({ manifest: readManifest(each), tarball: () => packInstalled(each) }))
  }

  function packInstalled(from: string): Promise<Buffer> {
    let made = packed.get(from)
    if (made === undefined) packed.set(from, (made = makeTarball(from)))
    return made
  }

  async function makeTarball(from: string): Promise<Buffer> {
    const place = await mkdtemp(join(folder, 'installed-'))
    // A copy: pnpm links equal files to one, and npm unpacks no links.
    const isOwn = (source: string): boolean => source !== join(from, 'node_modules')
    await cp(from, join(place, 'package'), { recursive: true, dereference: true, filter: isOwn })
    const file = join(place, 'package.tgz')
    await run('tar', ['-czf', file, 'package'], { cwd: place })
    return readFile(file)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, file] = decodeURIComponent(new URL(request.url!, url).pathname.slice(1)).split('/-/')
    const versions = versionsOf(path!)
    if (versions.length === 0) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    if (file !== undefined) {
      const one = versions.find(({ manifest }) => file === `${manifest.version}.tgz`)
      return void (one === undefined ? response.writeHead(404).end() : response.end(await one.tarball()))
    }
    const listed = await Promise.all(
      versions.map(async (one) => {
        const { name, version } = one.manifest
        const digest = createHash('sha512')
          .update(await one.tarball())
          .digest('base64')
        const dist = { tarball: `${url}${name}/-/${version}.tgz`, integrity: `sha512-${digest}` }
        return [version, { ...one.manifest, dist }] as const
      }),
    )
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ name: path, 'dist-tags': { latest: listed.at(-1)![0] }, versions: Object.fromEntries(listed) }),
    )
  }

  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
