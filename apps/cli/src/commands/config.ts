import { commandOf } from '../accounts/subcommands.ts'
import type { Command } from '../command.ts'
import { check } from '../config/check.ts'
import { diff } from '../config/diff.ts'
import { importErpc } from '../config/import.ts'
import { init } from '../config/init.ts'
import { schema } from '../config/schema.ts'

/** `wayleave config`: makes, checks and compares configuration files without serving them. */
export const config: Command = commandOf('config', 'Makes, checks and compares configuration files.', {
  init,
  check,
  diff,
  import: importErpc,
  schema,
})
