import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { slug } from '../../../tooling/site/src/slug.ts'
import { inlineFigures } from './inline-figures.ts'

// `npm run site` makes the pages before it comes here: see tooling/site.
const pages = fileURLToPath(new URL('../.pages', import.meta.url))
const sections = JSON.parse(readFileSync(`${pages}/site.json`, 'utf8')) as readonly {
  readonly title: string
  readonly isFolded: boolean
  readonly entries: readonly { readonly text: string; readonly path: string }[]
}[]
const base = process.env['SITE_BASE'] ?? '/'
const linkOf = (path: string): string => `/${path.replace(/(?:index)?\.md$/, '')}`

export default defineConfig({
  base,
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  lang: 'en-GB',
  title: 'Wayleave',
  description: 'A gateway to blockchain nodes that anyone can run, and the npm packages it is made of',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }]],
  transformHead: ({ pageData: { relativePath, isNotFound } }) =>
    isNotFound === true ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `${base}${relativePath}` }]],
  markdown: {
    anchor: { slugify: slug },
    attrs: { disable: true },
    theme: { light: 'github-light', dark: 'github-dark' },
    toc: { level: [2, 3] },
    config: (md) => inlineFigures(md, pages),
  },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Recipes', link: '/recipes/curl', activeMatch: '^/recipes/' },
      { text: 'How it works', link: '/how/verification', activeMatch: '^/how/' },
      { text: 'Reference', link: '/reference/errors', activeMatch: '^/reference/' },
      { text: 'Compare', link: '/compare' },
    ],
    sidebar: sections.map(({ title, isFolded, entries }) => ({
      text: title,
      collapsed: isFolded,
      items: entries.map(({ text, path }) => ({ text, link: linkOf(path) })),
    })),
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: false } },
    externalLinkIcon: false,
    docFooter: { prev: 'Before', next: 'Next' },
    footer: { message: 'MIT licence. No cookies, no analytics, nothing loaded from elsewhere.' },
  },
})
