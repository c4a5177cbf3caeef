import { parse } from 'yaml'

/** Parts the front matter from the Markdown below it. */
export function readFrontMatter(text: string): {
  readonly frontMatter: Readonly<Record<string, unknown>>
  readonly markdown: string
} {
  const [, head, markdown] = /^---\n([^]*?\n)---\n+([^]*)$/.exec(text) ?? []
  if (head === undefined) return { frontMatter: {}, markdown: text }
  return { frontMatter: parse(head) as Record<string, unknown>, markdown: markdown! }
}
