import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { importBy, importInPage } from './check-imports.ts'
import { checkTypes } from './check-types.ts'
import { type Consumer, type InstallFrom, installAlone } from './consumer.ts'
import type { PublishedPackage } from './published.ts'
import { run } from './run.ts'
import { isFor, type Runtime } from './runtimes.ts'

/** The means by which a package is tried. */
export interface Bench {
  readonly from: InstallFrom
  readonly runtimes: readonly Runtime[]
  /** Undefined: pages are not tried. */
  readonly browser: Browser | undefined
}

/** What came of a package that was installed alone. */
export interface Trial {
  readonly name: string
  readonly installed: readonly string[]
  /** Where it was imported: runtimes, `Chromium`, `types`. */
  readonly places: readonly string[]
  readonly problems: readonly string[]
}

/** Installs a package alone into an empty folder, and does there what its users do: imports, types, commands. Never rejects. */
export async function tryPackage(each: PublishedPackage, bench: Bench): Promise<Trial> {
  const { name, version } = each.manifest
  try {
    await using consumer = await installAlone(name, version, bench.from)
    return await tryInstalled(each, consumer, bench)
  } catch (thrown) {
    return { name, installed: [], places: [], problems: [messageOf(thrown)] }
  }
}

/** Does in a project what the users of the package do that was installed there. @throws what a comparison throws */
export async function tryInstalled(
  each: PublishedPackage,
  consumer: Consumer,
  { runtimes, browser }: Pick<Bench, 'runtimes' | 'browser'>,
): Promise<Trial> {
  const { manifest, isForBrowsers, entries, nodeEntries, files } = each
  const problems: string[] = []
  const places: string[] = []
  const attempt = async (place: string, act: () => Promise<void>): Promise<void> => {
    places.push(place)
    await act().catch((thrown: unknown) => void problems.push(`${place}: ${messageOf(thrown)}`))
  }
  const pageEntries = entries.filter((entry) => !nodeEntries.includes(entry))
  let names = ''
  const compare = (place: string, found: object): void => {
    const text = JSON.stringify(found)
    if (names === '') names = text
    if (text !== names) throw new Error(`${place} has other exports: ${text}, not ${names}`)
  }

  for (const runtime of runtimes.filter((one) => isFor(manifest, isForBrowsers, one))) {
    if (entries.length > 0) {
      await attempt(runtime.name, async () => {
        const found = await importBy(runtime, consumer, entries)
        const empty = Object.keys(found).filter((entry) => found[entry]!.length === 0)
        if (empty.length > 0) throw new Error(`${empty.join(', ')}: expected exports, got none`)
        compare(runtime.name, found)
      })
    }
    for (const command of runtime.name.startsWith('Node') ? Object.keys(manifest.bin ?? {}) : []) {
      await attempt(`${command} on ${runtime.name}`, () => runCommand(command, runtime, consumer))
    }
  }
  if (browser !== undefined && pageEntries.length > 0) {
    names = ''
    const [node] = runtimes
    if (node !== undefined) compare(node.name, await importBy(node, consumer, pageEntries))
    await attempt('Chromium', async () => compare('Chromium', await importInPage(browser, consumer, pageEntries)))
  }
  if (entries.length > 0) {
    await attempt('types', async () => {
      const said = await checkTypes(consumer, entries, nodeEntries.length > 0)
      if (said.length > 0) throw new Error(said.join('\n'))
    })
    if (pageEntries.length > 0) {
      await attempt('types of a page', async () => {
        const said = await checkTypes(consumer, pageEntries, false)
        if (said.length > 0) throw new Error(said.join('\n'))
      })
    }
  }
  const resolve = createRequire(join(consumer.folder, 'imports.mjs')).resolve
  for (const file of files) if (!existsSync(resolve(file))) problems.push(`${file} is not there`)
  return { name: manifest.name, installed: consumer.installed, places, problems }
}

async function runCommand(command: string, runtime: Runtime, { folder }: Consumer): Promise<void> {
  const env = { PATH: dirname(runtime.command) + delimiter + process.env['PATH'] }
  const help = await run(join(folder, 'node_modules/.bin', command), ['--help'], {
    cwd: folder,
    env,
    timeoutMs: 60_000,
  })
  if (!help.includes(command)) throw new Error(`expected help, got ${help.slice(0, 200)}`)
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
