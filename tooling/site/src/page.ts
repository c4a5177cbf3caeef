/** A page of the site. Links in its Markdown are relative, and lead to Markdown files of other pages. */
export interface Page {
  /** The place below the site's root: `guides/operator.md`. */
  readonly path: string
  /** The text of its first heading, plain. */
  readonly title: string
  /** One sentence for search engines and `llms.txt`. */
  readonly description: string
  /** Without front matter. */
  readonly markdown: string
  /** The file of the repository that it is made from; of generated pages the code. */
  readonly source: string
  readonly kind: 'written' | 'imported' | 'generated'
  /** Front matter for VitePress. */
  readonly frontMatter: Readonly<Record<string, unknown>>
}

/** A file that is served as it is, such as an OpenRPC document. */
export interface SiteFile {
  readonly path: string
  readonly content: string | Uint8Array
  /** Whether pages show it: it then lies beside them. */
  readonly isFigure?: true
}

/** A page that is made from code. */
export interface Generated {
  readonly markdown: string
  /** The file of the repository that holds the facts. */
  readonly source: string
  readonly files?: readonly SiteFile[]
}

/** Reads the title of a page: its first heading, without marks. */
export function titleOf(markdown: string, path: string): string {
  const heading = /^# (.+)$/m.exec(markdown)?.[1]
  if (heading === undefined) throw new Error(`${path}: expected a heading "# …", found none`)
  return plainText(heading)
}

/** Reads the first sentence below the title: of its first paragraph, without marks. */
export function firstSentence(markdown: string): string {
  const paragraph = markdown
    .replace(/^# .+$/m, '')
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^[\p{L}\p{N}`[*]/u.test(part))
  const text = plainText((paragraph ?? '').replaceAll('\n', ' '))
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** Takes the marks of Markdown out of a line. */
export function plainText(line: string): string {
  return line
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim()
}
