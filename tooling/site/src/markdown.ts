import { slug } from './slug.ts'
import { plainText } from './page.ts'

/** A link or an image of a page. */
export interface Link {
  readonly target: string
  /** The number of its line, from 1 on. */
  readonly line: number
}

/** A block of code. */
export interface Block {
  readonly language: string
  /** The rest of the line that opens it. */
  readonly info: string
  readonly code: string
  /** The number of the line that opens it, from 1 on. */
  readonly line: number
}

const fence = /^(\s*)(`{3,})(\S*) ?(.*)$/
const link = /(!?\[(?:[^[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\()([^()\s]+)(\))/g
/** A span of code, which may go on in the next line, but not behind an empty one. */
const span = /(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[^])*?(?<!`)\1(?!`)/g

/** Changes the parts of a page between its code blocks, and gives the blocks as they are. `line` is the number of a part's first line. */
export function mapProse(markdown: string, change: (part: string, line: number) => string): string {
  const done: string[] = []
  let prose: string[] = []
  let end: string | undefined
  const flush = (next: number): void => {
    if (prose.length > 0) done.push(change(prose.join('\n'), next - prose.length))
    prose = []
  }
  for (const [i, line] of markdown.split('\n').entries()) {
    const [, , ticks] = fence.exec(line) ?? []
    if (end === undefined && ticks === undefined) prose.push(line)
    else {
      flush(i + 1)
      done.push(line)
      if (end === undefined) end = ticks
      else if (line.trim() === end) end = undefined
    }
  }
  flush(markdown.split('\n').length + 1)
  return done.join('\n')
}

/** Changes what is no code in a part of a page. */
export function mapText(part: string, change: (text: string) => string): string {
  const { hidden, shown } = hideCode(part)
  return shown(change(hidden))
}

/** Puts a mark of private characters in the place of each span of code; `shown` puts the spans back. */
function hideCode(part: string): { readonly hidden: string; readonly shown: (text: string) => string } {
  const spans: string[] = []
  const hidden = part.replaceAll(span, (code) => `\uE000${spans.push(code) - 1}\uE001`)
  return { hidden, shown: (text) => text.replaceAll(/\uE000(\d+)\uE001/g, (_all, i: string) => spans[Number(i)]!) }
}

/** Changes the targets of all links and images. */
export function mapLinks(markdown: string, change: (target: string, line: number) => string): string {
  return mapProse(markdown, (part, first) => {
    const { hidden, shown } = hideCode(part)
    const changed = hidden.replaceAll(link, (_all, open: string, target: string, close: string, offset: number) => {
      const line = first + shown(hidden.slice(0, offset + open.length)).split('\n').length - 1
      return `${open}${change(target, line)}${close}`
    })
    return shown(changed)
  })
}

/** Lists the links and images of a page. */
export function linksOf(markdown: string): readonly Link[] {
  const links: Link[] = []
  mapLinks(markdown, (target, line) => {
    links.push({ target, line })
    return target
  })
  return links
}

/** Lists the anchors of a page: one for each heading; equal ones are numbered. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  mapProse(markdown, (part) => {
    for (const [, heading] of part.matchAll(/^#{1,6} (.+)$/gm)) {
      const base = slug(plainText(heading!))
      let anchor = base
      for (let n = 1; anchors.has(anchor); n++) anchor = `${base}-${n}`
      anchors.add(anchor)
    }
    return part
  })
  return anchors
}

/** Lists the code blocks of a page. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { language: string; info: string; ticks: string; indent: string; line: number; code: string[] } | undefined
  for (const [i, line] of markdown.split('\n').entries()) {
    const [, indent = '', ticks, language = '', info = ''] = fence.exec(line) ?? []
    if (open === undefined) {
      if (ticks !== undefined) open = { language, info, ticks, indent, line: i + 1, code: [] }
    } else if (line.trim() === open.ticks) {
      const { indent: by } = open
      const code = open.code.map((text) => `${text.startsWith(by) ? text.slice(by.length) : text}\n`).join('')
      blocks.push({ language: open.language, info: open.info, code, line: open.line })
      open = undefined
    } else open.code.push(line)
  }
  if (open !== undefined) throw new Error(`line ${open.line}: a code block has no end`)
  return blocks
}
