import { commandOf } from '../accounts/subcommands.ts'
import type { Command } from '../command.ts'
import { copy } from '../store/copy.ts'

/** `wayleave store`: the database of a gateway that does not run. */
export const store: Command = commandOf('store', 'The database of a gateway.', { copy })
