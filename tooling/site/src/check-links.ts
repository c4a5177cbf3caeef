import { posix } from 'node:path'
import { repositoryUrl } from './import-page.ts'
import { anchorsOf, linksOf } from './markdown.ts'
import type { Page, SiteFile } from './page.ts'

/** The parts of a site that links may lead to. */
export interface Targets {
  readonly pages: readonly Pick<Page, 'path' | 'markdown'>[]
  readonly files: readonly Pick<SiteFile, 'path'>[]
  /** Tells whether the repository has a path, for links to it. */
  hasPath(path: string): boolean
}

/** Checks every link of every page: other pages, their headings, files, paths of the repository, and the form of all others. */
export function brokenLinks({ pages, files, hasPath }: Targets): readonly string[] {
  const anchors = new Map(pages.map(({ path, markdown }) => [path, anchorsOf(markdown)]))
  const served = new Set(files.map(({ path }) => path))
  return pages.flatMap(({ path, markdown }) =>
    linksOf(markdown).flatMap(({ target, line }) => {
      const why = fault(target, path)
      return why === undefined ? [] : [`${path}:${line}: ${target}: ${why}`]
    }),
  )

  function fault(target: string, from: string): string | undefined {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return externalFault(target)
    const [path = '', anchor] = target.split('#')
    const to = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path))
    if (served.has(to)) return anchor === undefined ? undefined : 'a file has no headings'
    const known = anchors.get(to)
    if (known === undefined) return 'there is no such page or file'
    return anchor === undefined || known.has(anchor) ? undefined : 'the page has no such heading'
  }

  function externalFault(target: string): string | undefined {
    if (!URL.canParse(target)) return 'no URL'
    const { protocol, hostname } = new URL(target)
    if (protocol !== 'https:') return 'expected https'
    if (!/^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(hostname)) return 'no host'
    const [, path] = new RegExp(`^${repositoryUrl}/(?:blob|tree)/main/([^#]+)`).exec(target) ?? []
    return path === undefined || hasPath(path) ? undefined : 'the repository has no such path'
  }
}
