import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { brokenLinks } from '../src/check-links.ts'
import { gatherSite, root } from '../src/gather.ts'
import { importMarkdown, type Tree } from '../src/import-page.ts'
import { llmsFull, llmsIndex, plainMarkdown } from '../src/llms.ts'
import { anchorsOf, blocksOf, linksOf, mapLinks } from '../src/markdown.ts'
import { slug } from '../src/slug.ts'

const site = await gatherSite()
const { pages, files, sections } = site
const hasPath = (path: string): boolean => existsSync(join(root, path))

describe('links', () => {
  it('all lead to a page, a heading, a file of the site, a path of the repository, or have the form of an address', () => {
    const count = pages.reduce((sum, { markdown }) => sum + linksOf(markdown).length, 0)
    expect(count).toBeGreaterThan(700)
    expect(brokenLinks({ pages, files, hasPath })).toEqual([])
  })

  it.each([
    ['a page that is not there', '[x](./gone.md)'],
    ['a heading that is not there', '[x](./b.md#gone)'],
    ['a heading of the same page that is not there', '[x](#gone)'],
    ['a path that the repository has not', '[x](https://github.com/wayleave/wayleave/blob/main/gone.ts)'],
    ['no host', '[x](https://nowhere/)'],
    ['http', '[x](http://example.org/)'],
    ['a heading of a file', '[x](./f.json#y)'],
    ['a target in the next line', '[a\nb](./gone.md)'],
  ])('%s is told', (_what, markdown) => {
    const made = [
      { path: 'a.md', markdown },
      { path: 'b.md', markdown: '# B\n\n## Here' },
    ]
    expect(brokenLinks({ pages: made, files: [{ path: 'f.json' }], hasPath })).toHaveLength(1)
  })

  it('what is right, or is code, is not told', () => {
    const markdown =
      '# A\n\n[x](./b.md#here) [y](#a) [z](https://example.org/#x) `[n](./gone.md)`\n\n```sh\n[n](gone)\n```\n'
    const made = [
      { path: 'a.md', markdown },
      { path: 'b.md', markdown: '# B\n\n## Here' },
    ]
    expect(brokenLinks({ pages: made, files: [], hasPath })).toEqual([])
  })
})

describe('Markdown', () => {
  it('gives headings the anchors of GitHub', () => {
    expect(slug('Where things go')).toBe('where-things-go')
    expect(slug('`wayleave dev`: chains & keys')).toBe('wayleave-dev-chains--keys')
    expect([...anchorsOf('# A b\n\n## `x_y`\n\n## A b\n\n```\n# no\n```')]).toEqual(['a-b', 'x_y', 'a-b-1'])
  })

  it('lists blocks with their language, the rest of their line and their place', () => {
    expect(blocksOf('a\n```ts types\nx\n```\n\n- b\n  ```sh\n  y\n  ```\n')).toEqual([
      { language: 'ts', info: 'types', code: 'x\n', line: 2 },
      { language: 'sh', info: '', code: 'y\n', line: 7 },
    ])
    expect(() => blocksOf('```ts\nx')).toThrow('line 1: a code block has no end')
  })

  it('changes the targets of links alone, also where a text holds code or brackets', () => {
    const change = (target: string): string => `<${target}>`
    expect(mapLinks('[`a](b)`](c) ![x [y]](d.svg) `[e](f)`', change)).toBe('[`a](b)`](<c>) ![x [y]](<d.svg>) `[e](f)`')
  })

  it('of another place leads where it led before', () => {
    const tree: Tree = {
      pageOf: (file) => ({ 'packages/a/README.md': 'packages/a.md', 'docs/x.md': 'guides/x.md' })[file],
      kindOf: (path) => ({ 'deploy/chart': 'folder', 'deploy/file.yaml': 'file' } as const)[path],
    }
    const text =
      '[a](../packages/a#b) [x](x.md) [y](#y) [f](../deploy/file.yaml) [d](../deploy/chart/) [w](https://w.org)'
    const place = 'https://github.com/wayleave/wayleave'
    expect(importMarkdown(text, 'docs/x.md', 'guides/x.md', tree)).toBe(
      `[a](../packages/a.md#b) [x](./x.md) [y](#y) [f](${place}/blob/main/deploy/file.yaml) [d](${place}/tree/main/deploy/chart) [w](https://w.org)`,
    )
    expect(() => importMarkdown('[n](gone.md)', 'docs/x.md', 'guides/x.md', tree)).toThrow('docs/x.md: expected a link')
  })
})

describe('pages', () => {
  it('stand in the list at the side once, or are results', () => {
    const listed = sections.flatMap(({ entries }) => entries.map(({ path }) => path))
    expect(new Set(listed).size).toBe(listed.length)
    const others = pages.filter(({ path }) => !listed.includes(path)).map(({ path }) => path)
    expect(others.filter((path) => !/^results\/[\w-]+\.md$/.test(path))).toEqual([])
    expect(others.length).toBeGreaterThan(20)
  })

  it('have a description that is a sentence', () => {
    const wrong = pages.filter(
      ({ description, kind }) => kind === 'written' && !/^(?:(?!\. ).){30,190}\.$/.test(description),
    )
    expect(wrong.map(({ path, description }) => `${path}: ${description}`)).toEqual([])
    expect(pages.filter(({ description }) => description === '').map(({ path }) => path)).toEqual([])
  })

  it('that are files of the repository differ from them in the targets of links alone', () => {
    const bare = (markdown: string): string => mapLinks(markdown, () => '')
    const imported = pages.filter(({ kind }) => kind === 'imported')
    expect(imported.length).toBeGreaterThan(50)
    for (const { source, markdown } of imported) {
      expect(bare(markdown) === bare(readFileSync(join(root, source), 'utf8')), source).toBe(true)
    }
  })
})

describe('figures', () => {
  const figures = files.filter(({ isFigure, path }) => isFigure === true && path.startsWith('how/'))

  it('stand on the pages that tell how something works, with a text in their place', () => {
    const shown = pages.flatMap(({ path, markdown }) =>
      [...markdown.matchAll(/!\[([^\]]*)\]\(\.\/([\w-]+\.svg)\)/g)].map(([, text, file]) => ({
        path,
        text: text!,
        file,
      })),
    )
    for (const name of ['verification', 'fees', 'streams', 'cache']) {
      const own = shown.filter(({ path }) => path === `how/${name}.md`)
      expect(
        own.map(({ file }) => file),
        name,
      ).toEqual([`${name}.svg`])
      expect(own[0]!.text.length, name).toBeGreaterThan(80)
    }
    expect(figures.length).toBe(4)
  })

  it('have no colour of their own, no script, and ask nobody', () => {
    for (const { path, content } of figures) {
      const drawn = String(content).replace(/<style>[^]*?<\/style>/, '')
      expect(drawn, path).not.toMatch(/<script|href|url\(|on\w+=|<image|#[\da-f]{3,6}\b/i)
      expect(drawn, path).toMatch(/fill="var\(--figure-/)
    }
  })
})

describe('texts for programs that read', () => {
  it('llms.txt lists every page of the sections, and says what each is', () => {
    const text = llmsIndex(site, '/docs/')
    for (const { entries } of sections) {
      for (const { path } of entries) expect(text.split(`](/docs/${path}): `), path).toHaveLength(2)
    }
    expect(text).toMatch(/^# Wayleave\n\n> /)
    expect(text).toContain('/docs/llms-full.txt')
  })

  it('llms-full.txt holds every page but the results', () => {
    const text = llmsFull(site, '/')
    for (const page of pages) {
      expect(text.includes(plainMarkdown(page)), page.path).toBe(!page.path.startsWith('results/'))
    }
  })

  it('the Markdown of a page has no HTML that only its look needs', () => {
    for (const page of pages) expect(plainMarkdown(page), page.path).not.toMatch(/^<\/?div/m)
  })
})
