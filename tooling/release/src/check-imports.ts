import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import type { Consumer } from './consumer.ts'
import { run } from './run.ts'
import type { Runtime } from './runtimes.ts'

/** The names that entry points export. */
export type ExportedNames = Readonly<Record<string, readonly string[]>>

const printNames = (entries: readonly string[], print: string): string => `
const names = {}
${entries.map((entry, i) => `import * as m${i} from ${JSON.stringify(entry)}\nnames[${JSON.stringify(entry)}] = Object.keys(m${i}).sort()`).join('\n')}
${print}
`

/** Imports entry points by a runtime, and lists what they export. */
export async function importBy(
  runtime: Runtime,
  { folder }: Consumer,
  entries: readonly string[],
): Promise<ExportedNames> {
  await writeFile(join(folder, 'imports.mjs'), printNames(entries, 'console.log(JSON.stringify(names))'))
  const stdout = await run(runtime.command, [...runtime.args, 'imports.mjs'], { cwd: folder, timeoutMs: 60_000 })
  return JSON.parse(stdout) as ExportedNames
}

/** Bundles entry points for browsers, runs the bundle in a page, and lists what they export. */
export async function importInPage(
  browser: Browser,
  { folder }: Consumer,
  entries: readonly string[],
): Promise<ExportedNames> {
  const source = join(folder, 'page.mjs')
  await writeFile(source, printNames(entries, 'globalThis.names = names'))
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  })
  const page = await browser.newPage()
  try {
    const thrown: string[] = []
    page.on('pageerror', (fault) => thrown.push(String(fault)))
    await page.addScriptTag({ content: outputFiles[0]!.text, type: 'module' })
    // The bundle may still run once its script is in the page.
    await page.waitForFunction(() => 'names' in globalThis, undefined, { timeout: 10_000 }).catch(() => undefined)
    const names = await page.evaluate(() => (globalThis as { names?: ExportedNames }).names)
    if (names === undefined || thrown.length > 0) throw new Error(`the page: ${thrown.join('; ') || 'no names'}`)
    return names
  } finally {
    await page.close()
  }
}
