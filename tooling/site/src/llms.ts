import type { Page } from './page.ts'
import type { Site } from './gather.ts'
import { results } from './site-map.ts'

/** Lists the pages for programs that read, as https://llmstxt.org has it. `base`: the path of the site, with a slash at its end. */
export function llmsIndex({ pages, sections }: Site, base: string): string {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const front = byPath.get('index.md')!
  const parts = sections.map(({ title, entries }) => {
    const lines = entries.map(({ path }) => {
      const page = byPath.get(path)!
      return `- [${page.title}](${base}${path}): ${page.description}`
    })
    return `## ${title === results.title ? 'Optional' : title}\n\n${lines.join('\n')}\n`
  })
  return `# ${front.title}

> ${front.description}

Every page is there as Markdown beside its HTML: the same address with \`.md\` at its end. All in one file: ${base}llms-full.txt

${parts.join('\n')}`
}

/** Joins all pages but the results, in the order of reading. */
export function llmsFull({ pages, sections }: Site, base: string): string {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const listed = sections
    .filter(({ title }) => title !== results.title)
    .flatMap(({ entries }) => entries.map(({ path }) => byPath.get(path)!))
  return listed.map((page) => `<!-- ${base}${page.path} -->\n\n${plainMarkdown(page)}`).join('\n')
}

/** The Markdown of a page as it is served: without the lines of HTML that only its look needs. */
export function plainMarkdown({ markdown }: Pick<Page, 'markdown'>): string {
  return markdown
    .replaceAll(/^<\/?div[^>]*>\n/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
}
