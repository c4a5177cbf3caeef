import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Site } from './gather.ts'
import { mapProse, mapText } from './markdown.ts'
import type { Page, SiteFile } from './page.ts'

/** Writes the pages as VitePress reads them, into an empty folder. */
export function writePages(site: Site, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (const page of site.pages) write(join(folder, page.path), vitepressText(page))
  for (const { path, content, isFigure } of site.files) {
    write(join(folder, isFigure === true ? path : `public/${path}`), content)
  }
  const lists = site.sections.map(({ title, isFolded, entries }) => ({ title, isFolded, entries }))
  write(join(folder, 'site.json'), JSON.stringify(lists))
}

/** Writes a file, and its folder. */
export function write(file: string, content: SiteFile['content']): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

function vitepressText({ markdown, title, description, frontMatter, kind, source }: Page): string {
  const head = { title, description, ...frontMatter, source, kind }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n\n${kind === 'written' ? markdown : withoutMarkup(markdown)}`
}

/** Hides from Vue what would be an element or an expression to it: Markdown of elsewhere knows neither. */
function withoutMarkup(markdown: string): string {
  return mapProse(markdown, (part) =>
    mapText(part, (text) => text.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')),
  )
}
