import { dirname, normalize, posix } from 'node:path'
import { mapLinks } from './markdown.ts'

/** The place of the repository, for links to what is no page. */
export const repositoryUrl = 'https://github.com/wayleave/wayleave'

/** The tree of the repository, as far as links ask for it. */
export interface Tree {
  /** The page that is made from a file. */
  pageOf(file: string): string | undefined
  kindOf(path: string): 'file' | 'folder' | undefined
}

/** Says where a link of a file of the repository leads on the site. Throws for one that leads nowhere. */
function targetOf(target: string, from: string, to: string, tree: Tree): string {
  if (/^[a-z]+:/.test(target) || target.startsWith('#')) return target
  const [path = '', anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const file = normalize(posix.join(dirname(from), path)).replace(/\/$/, '')
  const page = tree.pageOf(file) ?? tree.pageOf(posix.join(file, 'README.md'))
  if (page !== undefined) return `${relativeLink(to, page)}${hash}`
  const kind = tree.kindOf(file)
  if (kind === undefined) throw new Error(`${from}: expected a link to a file or folder, got "${target}"`)
  if (file.endsWith('.svg')) return relativeLink(to, `results/${posix.basename(file)}`)
  return `${repositoryUrl}/${kind === 'file' ? 'blob' : 'tree'}/main/${file}${hash}`
}

/** Writes a link from one page to another one. */
export function relativeLink(from: string, to: string): string {
  const link = posix.relative(posix.dirname(from), to)
  return link.startsWith('.') ? link : `./${link}`
}

/** Makes the Markdown of a page from that of a file of the repository: only the links change. */
export function importMarkdown(markdown: string, from: string, to: string, tree: Tree): string {
  return mapLinks(markdown, (target) => targetOf(target, from, to, tree))
}
