import { type Command, type ListedCommand, UsageError } from '../command.ts'
import { bashCompletion } from '../completion/bash.ts'
import { commandTree } from '../completion/command-tree.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { rootHelp } from '../root-help.ts'
import { suggest } from '../suggest.ts'

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

/** Makes `wayleave completion`, which prints what has a shell complete the given commands, their methods and flags. */
export const createCompletion = (commands: readonly ListedCommand[]): Command => ({
  help: `Usage: wayleave completion SHELL

Prints the completion of a shell, for commands, methods, flags and the networks of wayleave dev. A file loads faster than a command:

  bash        wayleave completion bash > ~/.local/share/bash-completion/completions/wayleave
  zsh         wayleave completion zsh > "\${fpath[1]}/_wayleave"
  fish        wayleave completion fish > ~/.config/fish/completions/wayleave.fish

For this shell alone: source <(wayleave completion bash). Print it again after an update.
`,
  async run([shell, ...more]: readonly string[], io) {
    const names = Object.keys(shells)
    if (shell === undefined || !Object.hasOwn(shells, shell) || more.length > 0) {
      const near = more.length === 0 ? suggest(shell ?? '', names) : ''
      const got = shell === undefined ? '' : `, got "${[shell, ...more].join(' ')}"${near}`
      throw new UsageError(`expected bash, zsh or fish${got}`)
    }
    io.stdout(shells[shell as keyof typeof shells](await commandTree(rootHelp(commands), commands)))
    return 0
  },
})
