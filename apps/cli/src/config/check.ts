import type { Subcommand } from '../accounts/subcommands.ts'
import { UsageError } from '../command.ts'
import { readArgs } from '../read-args.ts'

/** `config check`. */
export const check: Subcommand = {
  usage: '[FILE] [--json]',
  summary: 'tells all that is wrong with a file, or sums it up',
  help: `Reads FILE (.ts, .js, .yaml or .json) as wayleave serve would; \${NAME} is read from the environment, \${file:PATH} from a file beside
it. Prints every problem as FILE:LINE:COLUMN: MEMBER: what was expected, and what came; a right file is summed up. Nothing is started or
called.

  --config FILE   the same as FILE; default: wayleave.config.ts, .yaml, .yml or .json in this folder
  --json          one line of JSON: {"ok":…,"problems":[…],"warnings":[…],"summary":…}

Exit code 0: it can be served, warnings or not; 2: it cannot be served, or is not there.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, {
      config: { type: 'string' },
      json: { type: 'boolean', default: false },
    })
    const [file, ...rest] = [...(values.config === undefined ? [] : [values.config]), ...positionals]
    if (rest.length > 0) throw new UsageError('expected one FILE, such as wayleave.config.yaml')
    const [{ checkFile }, { defaultConfig }] = await Promise.all([
      import('./check-file.ts'),
      import('./default-config.ts'),
    ])
    return checkFile(file ?? (await defaultConfig()), values.json, io)
  },
}
