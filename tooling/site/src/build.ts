import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOfHtml } from './check-html.ts'
import { brokenLinks } from './check-links.ts'
import { gatherSite, root } from './gather.ts'
import { llmsFull, llmsIndex, plainMarkdown } from './llms.ts'
import { write, writePages } from './write-pages.ts'

/** The folder of the site, with VitePress in its `node_modules`. */
const siteFolder = join(root, 'docs/site')
const staged = join(siteFolder, '.pages')
const built = join(siteFolder, 'dist')

/** Makes the pages that VitePress reads. Resolves with faults of their links. */
export async function stage(): Promise<readonly string[]> {
  const site = await gatherSite()
  writePages(site, staged)
  const hasPath = (path: string): boolean => existsSync(join(root, path))
  return brokenLinks({ ...site, hasPath })
}

/** Builds the site into `docs/site/dist`, below `base`. Resolves with what is wrong with it. */
export async function build(base: string): Promise<readonly string[]> {
  const faults = await stage()
  if (faults.length > 0) return faults
  const code = await runVitepress(['build', '.'], base)
  if (code !== 0) return [`vitepress build ended with ${code}`]
  const site = await gatherSite()
  for (const page of site.pages) write(join(built, page.path), plainMarkdown(page))
  // The Markdown refers to figures that the HTML has in itself.
  for (const { path, content, isFigure } of site.files) if (isFigure === true) write(join(built, path), content)
  write(join(built, 'llms.txt'), llmsIndex(site, base))
  write(join(built, 'llms-full.txt'), llmsFull(site, base))
  return faultsOfHtml(built, base)
}

/** Serves the pages while they are written, until it is stopped. */
export async function dev(base: string): Promise<readonly string[]> {
  const faults = await stage()
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  const code = await runVitepress(['dev', '.'], base)
  return code === 0 ? [] : [`vitepress dev ended with ${code}`]
}

/** Tells whether VitePress is installed. */
export function isInstalled(): boolean {
  return statSync(join(siteFolder, 'node_modules/vitepress'), { throwIfNoEntry: false }) !== undefined
}

async function runVitepress(args: readonly string[], base: string): Promise<number | null> {
  const script = join(siteFolder, 'node_modules/vitepress/bin/vitepress.js')
  const env = { ...process.env, SITE_BASE: base }
  const child = spawn(process.execPath, [script, ...args], {
    cwd: siteFolder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}
