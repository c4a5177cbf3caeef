import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFrontMatter } from './front-matter.ts'
import { generators } from './generate/generators.ts'
import { importMarkdown, relativeLink, type Tree } from './import-page.ts'
import { firstSentence, type Page, plainText, type SiteFile, titleOf } from './page.ts'
import { type MapEntry, results, type Section, sections } from './site-map.ts'

/** The folder of the repository. */
export const root: string = fileURLToPath(new URL('../../../', import.meta.url))

/** The pages and files of the site, and its lists. */
export interface Site {
  readonly pages: readonly Page[]
  readonly files: readonly SiteFile[]
  readonly sections: readonly SiteSection[]
}

/** A section as it is shown at the side. */
interface SiteSection {
  readonly title: string
  readonly isFolded: boolean
  readonly entries: readonly { readonly text: string; readonly path: string }[]
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Makes all pages: those written by hand, those made from files of the repository, and those made from code. */
export async function gatherSite(): Promise<Site> {
  const measured = globSync('docs/results/*.md', { cwd: root }).toSorted()
  const resultEntries = measured.map((from): MapEntry => ({ path: `${results.folder}/${basename(from)}`, from }))
  const complete = withUnlisted()
  const entries = [...complete.flatMap((section) => section.entries), ...resultEntries]
  const pagesOf = new Map(entries.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path] as const])))
  pagesOf.set('README.md', 'index.md')
  const tree: Tree = {
    pageOf: (file) => pagesOf.get(file),
    kindOf(path) {
      const found = statSync(join(root, path), { throwIfNoEntry: false })
      if (found === undefined) return undefined
      return found.isDirectory() ? 'folder' : 'file'
    },
  }

  const files: SiteFile[] = [
    { path: `${results.folder}/backtest.svg`, content: read('docs/results/backtest.svg'), isFigure: true },
    ...globSync('docs/site/pages/**/*.svg', { cwd: root })
      .toSorted()
      .map((file): SiteFile => ({ path: file.slice('docs/site/pages/'.length), content: read(file), isFigure: true })),
    ...globSync('docs/site/public/*', { cwd: root }).map((file) => ({ path: basename(file), content: read(file) })),
  ]
  const pages: Page[] = []
  for (const entry of entries) pages.push(await pageOf(entry, tree, files))
  files.push(...picturesOf(pages))
  pages.push(resultsIndex(pages.filter(({ path }) => path.startsWith(`${results.folder}/`))))

  const titles = new Map(pages.map(({ path, title }) => [path, title]))
  const shown = complete.map(({ title, isFolded = false, entries: listed }): SiteSection => ({
    title,
    isFolded,
    entries: listed.map(({ path, text }) => ({ path, text: text ?? titles.get(path)! })),
  }))
  const last = {
    title: results.title,
    isFolded: true,
    entries: [{ path: results.index, text: titles.get(results.index)! }],
  }
  return { pages, files, sections: [...shown, last] }
}

/** Reads the pictures of the console that pages show, each in light and dark. */
function picturesOf(pages: readonly Page[]): readonly SiteFile[] {
  const shown = pages.flatMap(({ markdown }) => [...markdown.matchAll(/\(\.\/console\/([\w-]+)-light\.png\)/g)])
  return [...new Set(shown.map(([, name]) => name!))].flatMap((name) =>
    ['light', 'dark'].map((look) => {
      const content = readFileSync(join(root, `docs/console/${name}-${look}.png`))
      return { path: `console/${name}-${look}.png`, content, isFigure: true as const }
    }),
  )
}

/** Adds what the map does not name to the sections where it belongs: READMEs of packages, and lasting texts of `docs`. */
function withUnlisted(): readonly Section[] {
  const named = new Set(sections.flatMap(({ entries }) => entries.map(({ from }) => from)))
  const added: Readonly<Record<string, readonly MapEntry[]>> = {
    Packages: [
      ...globSync('{packages,apps}/*/README.md', { cwd: root }).map((from) => {
        const text = from.split('/')[1]!
        return { path: `packages/${text}.md`, text, from }
      }),
      ...globSync('docs/packages/*.md', { cwd: root }).map((from) => {
        const text = `${basename(from, '.md')} in detail`
        return { path: `packages/${text.replaceAll(' ', '-')}.md`, text, from }
      }),
    ],
    Reference: globSync('docs/*.md', { cwd: root })
      .filter((from) => from !== 'docs/README.md')
      .map((from) => ({ path: `reference/${basename(from)}`, from })),
  }
  return sections.map((section) => {
    const unlisted = (added[section.title] ?? []).filter(({ from }) => !named.has(from)).toSorted(byPath)
    return { ...section, entries: [...section.entries, ...unlisted] }
  })
}

const byPath = (a: MapEntry, b: MapEntry): number => a.path.localeCompare(b.path)

async function pageOf({ path, from, make }: MapEntry, tree: Tree, files: SiteFile[]): Promise<Page> {
  if (make !== undefined) {
    const generate = generators[make]
    if (generate === undefined) throw new Error(`${path}: expected a generator of generate.ts, got "${make}"`)
    const { markdown, source, files: own = [] } = await generate(path)
    files.push(...own)
    return finish({ path, markdown, source, kind: 'generated', frontMatter: {} })
  }
  if (from !== undefined) {
    const markdown = importMarkdown(read(from), from, path, tree)
    return finish({ path, markdown, source: from, kind: 'imported', frontMatter: {} })
  }
  const source = `docs/site/pages/${path}`
  const { frontMatter, markdown } = readFrontMatter(read(source))
  return finish({ path, markdown, source, kind: 'written', frontMatter })
}

function finish(page: Omit<Page, 'title' | 'description'>): Page {
  const title = titleOf(page.markdown, page.path)
  const { description = firstSentence(page.markdown) } = page.frontMatter as { readonly description?: string }
  return { ...page, title, description }
}

/** Lists the results by the dates in their titles, the newest first. */
function resultsIndex(pages: readonly Page[]): Page {
  const dateOf = ({ title }: Page): string => {
    const date = /\d{4}-\d\d-\d\d$/.exec(title)?.[0]
    if (date === undefined) throw new Error(`docs/results: expected a title that ends with a date, got "${title}"`)
    return date
  }
  const rows = pages
    .toSorted((a, b) => dateOf(b).localeCompare(dateOf(a)) || a.path.localeCompare(b.path))
    .map((page) => {
      const text = plainText(page.title).replace(/,? \d{4}-\d\d-\d\d$/, '')
      return `| ${dateOf(page)} | [${text}](${relativeLink(results.index, page.path)}) |`
    })
  return finish({
    path: results.index,
    source: 'docs',
    kind: 'generated',
    frontMatter: {},
    markdown: `# Measured results

Each page has the newest measurement of its subject, with its date and the command that repeats it. Numbers may have changed since.

| date | subject |
| --- | --- |
${rows.join('\n')}
`,
  })
}
