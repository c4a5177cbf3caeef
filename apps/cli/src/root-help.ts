import { listShortNames } from './call/short-names.ts'
import type { ListedCommand } from './command.ts'

/** The text of `wayleave --help`. */
export function rootHelp(commands: readonly ListedCommand[]): string {
  return `wayleave: blockchain node access that anyone can run

Usage: wayleave COMMAND [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join('\n')}

Short for wayleave eth block, and so on:
${listShortNames()}

wayleave COMMAND --help tells more. After -- nothing is a flag.

  -h, --help     this text
  -v, --version  the version of wayleave
`
}
