import { type Block, blocksOf } from '../markdown.ts'
import type { Page } from '../page.ts'
import { type CheckKind, checkKindOf } from './check-kind.ts'

/** A code block with its page, and the way in which it is checked. */
export interface PageBlock extends Block {
  readonly page: Page
  readonly kind: CheckKind | undefined
  /** Names it: `recipes/viem.md:12`. */
  readonly place: string
}

/** Lists the code blocks of all pages. */
export function listBlocks(pages: readonly Page[]): readonly PageBlock[] {
  return pages.flatMap((page) =>
    blocksOf(page.markdown).map((block) => ({
      ...block,
      page,
      kind: checkKindOf(page, block),
      place: `${page.path}:${block.line}`,
    })),
  )
}

/** A command of a shell block, and what a reader sees after it. */
export interface Act {
  readonly command: string
  /** `…` stands for any text within a line, and alone on a line for any lines. */
  readonly lines: readonly string[]
}

/** Reads the acts of a block: each `$ ` line of a transcript, or a whole script, whatever it prints. */
export function actsOfBlock({ language, code }: Block): readonly Act[] {
  const text = code.replace(/\n$/, '')
  if (language === 'sh') return [{ command: `set -e\n${text}`, lines: ['…'] }]
  const acts: { command: string; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('$ ')) acts.push({ command: line.slice(2), lines: [] })
    else if (acts.at(-1)?.command.endsWith('\\') === true && line.startsWith('> '))
      acts.at(-1)!.command += `\n${line.slice(2)}`
    else acts.at(-1)?.lines.push(line)
  }
  return acts
}

/** Lists the files that blocks of a page are: those whose first line is a comment with a name. */
export function filesOf(blocks: readonly PageBlock[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    blocks.flatMap(({ code, language }) => {
      const name = /^(?:#|\/\/) ([\w.-]+\.(?:ya?ml|json|ts|js|py|go))\n/.exec(code)?.[1]
      return name === undefined || language === 'console' ? [] : [[name, code]]
    }),
  )
}
