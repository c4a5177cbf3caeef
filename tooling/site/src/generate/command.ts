// @boundaries-ignore The command exports nothing; its help texts are what it prints.
import { commands } from '../../../../apps/cli/src/commands.ts'
// @boundaries-ignore The command exports nothing; its help texts are what it prints.
import { commandTree, type TreeNode } from '../../../../apps/cli/src/completion/command-tree.ts'
// @boundaries-ignore The command exports nothing; its help texts are what it prints.
import { rootHelp } from '../../../../apps/cli/src/root-help.ts'
import type { Generated } from '../page.ts'

/** A command or a word of one, with the words and flags that may follow. */
export type CommandNode = TreeNode

/** Commands whose words are methods, which have pages of their own. */
const ofMethods: ReadonlySet<string> = new Set(['eth', 'starknet', 'rollup'])

/** The help of a command or of one of its words, as `--help` prints it. */
interface CommandHelp {
  /** The words: `config check`. */
  readonly path: string
  readonly text: string
}

/** Reads all commands from their help texts. Deeper ones come first. */
export function readCommands(): Promise<readonly CommandNode[]> {
  return commandTree(rootHelp(commands), commands)
}

/** Makes the function that returns what `wayleave WORDS --help` prints. */
export async function readHelpTexts(): Promise<(words: readonly string[]) => string> {
  const loaded = new Map(await Promise.all(commands.map(async ({ name, load }) => [name, await load()] as const)))
  return ([name = '', ...rest]) => {
    const { help } = loaded.get(name)!
    return typeof help === 'string' ? help : help(rest)
  }
}

/** Reads the help texts of all commands and of their words, but for those that are methods. */
async function commandHelps(): Promise<readonly CommandHelp[]> {
  const [tree, helpOf] = await Promise.all([readCommands(), readHelpTexts()])
  const below = tree
    .map(({ path }) => path)
    .filter((path) => path.includes(' ') && !ofMethods.has(path.split(' ')[0]!))
    .toSorted()
  return commands.flatMap(({ name }) => {
    const paths = [name, ...below.filter((path) => path.startsWith(`${name} `))]
    return paths.map((path) => ({ path, text: helpOf(path.split(' ')) }))
  })
}

/** Makes the reference of the `wayleave` command from its help texts. */
export async function command(): Promise<Generated> {
  const helps = await commandHelps()
  const parts = helps.map(({ path, text }) => {
    const depth = path.includes(' ') ? '###' : '##'
    return `${depth} wayleave ${path}\n\n${fence}text\n${text.trimEnd()}\n${fence}\n`
  })
  return {
    source: 'apps/cli/src/commands',
    markdown: `# The command

What \`wayleave COMMAND --help\` prints, for each command. The [README of the command](../packages/cli.md) has examples, exit codes and limits; the words of \`wayleave eth\` and
\`wayleave starknet\` are the [methods](./evm-methods.md) [of nodes](./starknet-methods.md).

## wayleave

${fence}text
${rootHelp(commands).trimEnd()}
${fence}

${parts.join('\n')}`,
  }
}

const fence = '```'
