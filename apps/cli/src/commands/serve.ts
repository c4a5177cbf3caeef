import { parseArgs } from 'node:util'
import { runProxy } from '@wayleave/proxy'
import { type Command, UsageError } from '../command.ts'

/** `wayleave serve`: serves the networks of a configuration file. */
export const serve: Command = {
  help: `Usage: wayleave serve --config FILE [--json]

  --config FILE   .ts, .js, .yaml or .json; \${NAME} is read from the environment
  --json          print one JSON line when ready, instead of text

SIGTERM lets calls in flight finish, then exits 0. Logs go to stderr.
`,
  async run(args, { stdout, stderr, env, process }) {
    const { values } = parseArgs({
      args: [...args],
      options: { config: { type: 'string' }, json: { type: 'boolean', default: false } },
    })
    if (values.config === undefined) throw new UsageError('expected --config FILE')
    return runProxy({ configFile: values.config, json: values.json, env, events: process, stdout, stderr })
  },
}
