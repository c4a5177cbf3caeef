// The short form of the install test: two packages of two kinds, without a network. `pnpm --filter @wayleave/release install-test`
// tries all, from the registry.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Consumer, installAlone } from '../src/consumer.ts'
import { installedProblems } from '../src/installed.ts'
import { neededOf, pack } from '../src/pack.ts'
import { publishedPackages } from '../src/published.ts'
import { type Registry, startRegistry } from '../src/registry.ts'
import { run } from '../src/run.ts'
import { findRuntimes } from '../src/runtimes.ts'
import { tryInstalled } from '../src/try-package.ts'

const packages = publishedPackages()
/** For Node alone, and for Node and browsers, which needs eight others. */
const tried = ['@wayleave/stores', '@wayleave/client']
const runtimes = findRuntimes()
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

let target: string
let registry: Registry
/** The projects in which a package was installed, by its name. */
const consumers = new Map<string, Promise<Consumer>>()
let browser: Browser | undefined

beforeAll(async () => {
  target = await mkdtemp(join(tmpdir(), 'wayleave-packed-'))
  const needed = new Set(tried.flatMap((name) => [...neededOf(name, packages)]))
  const tarballs = await pack(
    [...needed].map((name) => packages.get(name)!),
    target,
  )
  registry = await startRegistry(tarballs.values(), true)
  if (executablePath === undefined) return
  // Chromium has no sandbox for root.
  browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}, 240_000)
afterAll(async () => {
  await browser?.close()
  for (const consumer of await Promise.allSettled(consumers.values()))
    if (consumer.status === 'fulfilled') await consumer.value[Symbol.asyncDispose]()
  await registry?.[Symbol.asyncDispose]()
  await rm(target, { recursive: true, force: true })
})

function consumerOf(name: string): Promise<Consumer> {
  const from = { url: registry.url, isWhole: true }
  const consumer = consumers.get(name) ?? installAlone(name, packages.get(name)!.manifest.version, from)
  consumers.set(name, consumer)
  return consumer
}

it.each(tried)(
  '%s installs alone, and imports and type-checks where its README says',
  { timeout: 240_000 },
  async (name) => {
    const trial = await tryInstalled(packages.get(name)!, await consumerOf(name), { runtimes, browser })
    expect([...trial.problems, ...installedProblems(trial)]).toEqual([])
    expect(trial.places).toEqual(expect.arrayContaining(['Node 24', 'types']))
    expect(trial.installed).toContain(name)
  },
)

const node20 = runtimes.find(({ name }) => name === 'Node 20')

it.skipIf(node20 === undefined)(
  '@wayleave/stores tells Node 20 what it lacks for SQLite',
  { timeout: 240_000 },
  async () => {
    const { folder } = await consumerOf('@wayleave/stores')
    await writeFile(
      join(folder, 'open.mjs'),
      "import { openStores } from '@wayleave/stores'\nconsole.log(await openStores({ sqlite: ':memory:' }).catch(({ code, message }) => `${code}: ${message}`))\n",
    )
    const said = await run(node20!.command, ['open.mjs'], { cwd: folder })
    expect(said).toBe(
      'unsupported_runtime: expected a Node with node:sqlite, 22.13 or later: upgrade Node, or use PostgreSQL\n',
    )
  },
)

it('names what a package installs beyond what it is known to, and what no library may', () => {
  const brings = (name: string, ...installed: string[]): readonly string[] => installedProblems({ name, installed })
  expect(brings('@wayleave/auth', '@noble/hashes', '@wayleave/auth', 'jose')).toEqual([])
  expect(brings('@wayleave/auth', '@noble/hashes', 'jose', 'left-pad')).toEqual([
    'installs left-pad: if that is meant, --update writes it down',
  ])
  expect(brings('@wayleave/auth', '@noble/hashes')).toEqual(['installs no jose any more: --update writes it down'])
  expect(brings('@wayleave/auth', '@noble/hashes', '@wayleave/console', 'jose')).toEqual([
    "installs @wayleave/console, which only a gateway's process may",
  ])
})
