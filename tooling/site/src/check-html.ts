import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** What a built page is asked for by links. */
interface Built {
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
  /** Addresses of other hosts that a browser would ask by itself. */
  readonly loaded: readonly string[]
}

const attribute = /<(\w+)[^>]*?\s(?:href|src)="([^"]*)"[^>]*>/g

function read(html: string): Built {
  const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id!)))
  const found = [...html.matchAll(attribute)].map(([, element, address]) => ({ element, address: decode(address!) }))
  const isExternal = (address: string): boolean => /^(?:[a-z]+:)?\/\//.test(address)
  return {
    ids,
    links: found
      .map(({ address }) => address)
      .filter((address) => !isExternal(address) && !address.startsWith('data:')),
    loaded: found.flatMap(({ element, address }) => (element !== 'a' && isExternal(address) ? [address] : [])),
  }
}

/** Checks the built site in `folder`: each link leads to a file, each anchor to an element, and nothing is loaded from elsewhere. */
export function faultsOfHtml(folder: string, base: string): readonly string[] {
  const files = new Set(globSync('**/*', { cwd: folder }).map((file) => file.replaceAll('\\', '/')))
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, read(readFileSync(join(folder, file), 'utf8'))]),
  )
  return [...pages].flatMap(([page, { links, loaded }]) => [
    ...loaded.map((address) => `${page}: loads ${address}`),
    ...links.flatMap((link) => {
      const why = fault(link, page)
      return why === undefined ? [] : [`${page}: ${link}: ${why}`]
    }),
  ])

  function fault(link: string, page: string): string | undefined {
    const [address = '', anchor = ''] = link.split('#')
    const path = address.split('?')[0]!
    let to = page
    if (path.startsWith('/')) to = path.startsWith(base) ? path.slice(base.length) : `..${path}`
    else if (path !== '') to = posix.join(posix.dirname(page), path)
    if (to === '' || to.endsWith('/')) to += 'index.html'
    if (!files.has(to)) return 'there is no such file'
    const known = pages.get(to)
    return anchor === '' || known === undefined || known.ids.has(decodeURIComponent(anchor))
      ? undefined
      : 'no such anchor'
  }
}

function decode(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<')
}
