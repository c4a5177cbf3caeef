import { readFile } from 'node:fs/promises'
import type { Subcommand } from '../accounts/subcommands.ts'
import { readFlags } from '../read-args.ts'
import { schemaFile } from './schema-place.ts'

/** `config schema`. */
export const schema: Subcommand = {
  usage: '',
  summary: 'prints the JSON Schema of configurations, for editors',
  help: `Prints the JSON Schema (draft 7) by which an editor completes and checks a configuration. A YAML file names it in its first line:

  # yaml-language-server: $schema=./wayleave.schema.json

after \`wayleave config schema > wayleave.schema.json\`; a JSON file in its member "$schema". wayleave config init writes that line.
`,
  async run(args, io) {
    readFlags(args, {})
    io.stdout(await readFile(schemaFile(), 'utf8'))
    return 0
  },
}
