import { shortNames } from '../call/short-names.ts'
import type { Command } from '../command.ts'
import { type HelpEntries, readHelp } from './read-help.ts'

/** All words that may follow those of a path: `''` for the command itself, `eth`, `ipfs pin`. */
export interface TreeNode extends HelpEntries {
  readonly path: string
}

interface Named {
  readonly name: string
  load(): Promise<Command>
}

/** Most words in a row that are completed: `starknet subscribe newHeads`. */
const mostWords = 3

/** Reads the commands, their words and their flags from the help texts, which are their one source. Deeper paths come first. */
export async function commandTree(rootHelp: string, commands: readonly Named[]): Promise<readonly TreeNode[]> {
  const nodes: TreeNode[] = [{ path: '', ...readHelp(rootHelp, []) }]
  for (const { name, load } of commands) {
    const command = await load()
    const helpOf = (args: readonly string[]): string =>
      typeof command.help === 'string' ? command.help : command.help(args)
    const further = (await command.words?.()) ?? []
    const add = (below: readonly string[], parent: string | undefined): void => {
      const text = helpOf(below)
      // The help of a word without its own is that of its parent, which names the flags.
      if (text === parent) return
      const { words, flags } = readHelp(text, [name, ...below])
      const listed = new Set(words.map((word) => word.name))
      const unlisted = below.length === 0 ? further.filter((word) => !listed.has(word.name)) : []
      nodes.push({ path: [name, ...below].join(' '), words: [...words, ...unlisted], flags })
      if (below.length + 1 < mostWords) for (const word of words) add([...below, word.name], text)
    }
    add([], undefined)
  }
  // The short names of `wayleave eth` are commands, too.
  const short = Object.keys(shortNames).map((name) => ({
    ...nodes.find(({ path }) => path === `eth ${name}`)!,
    path: name,
  }))
  nodes.push(...short)
  return nodes.toSorted((a, b) => b.path.split(' ').length - a.path.split(' ').length)
}
