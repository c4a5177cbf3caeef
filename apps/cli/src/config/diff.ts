import type { Subcommand } from '../accounts/subcommands.ts'
import { UsageError } from '../command.ts'
import { defaultConfig } from './default-config.ts'
import { readArgs } from '../read-args.ts'

/** `config diff`. */
export const diff: Subcommand = {
  usage: '[FILE] OTHER [--json]',
  summary: 'tells what a reload from one file to another would do',
  help: `Tells what a reload from FILE to OTHER would do, and what needs a restart, without a key, a secret or a URL: + added, ~ changed,
- removed.

  --config FILE   the same as FILE; default: wayleave.config.ts, .yaml, .yml or .json in this folder
  --json          one line of JSON: {"ok":true,"changes":[{"path","kind","text"}],"networks":…,"projects":…,"needsRestart":[…]}, or
                  {"ok":false,"problems":[{"file","path","line","column","expected","got"}]}

Exit code 0: no difference; 1: some; 2: one of them cannot be served, or is not there.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, {
      config: { type: 'string' },
      json: { type: 'boolean', default: false },
    })
    const files = [...(values.config === undefined ? [] : [values.config]), ...positionals]
    const [first, second, ...rest] = files
    if (first === undefined || rest.length > 0)
      throw new UsageError('expected OTHER, the configuration to come, or FILE and OTHER')
    const { printDiff } = await import('../commands/config-diff.ts')
    return printDiff(second === undefined ? [await defaultConfig(), first] : [first, second], values.json, io)
  },
}
