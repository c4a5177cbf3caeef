import { hashKey } from '../accounts/hash-key.ts'
import { importKeys } from '../accounts/import-keys.ts'
import { create, disable, enable, list, revoke, rotate, show, update } from '../accounts/keys.ts'
import { addSecret, removeSecret } from '../accounts/secrets.ts'
import { commandOf } from '../accounts/subcommands.ts'
import type { Command } from '../command.ts'

/** `wayleave keys`: API keys and their secrets, of a running gateway or its store. */
export const keys: Command = commandOf('keys', 'API keys of a running gateway, or of its store.', {
  create,
  list,
  show,
  rotate,
  revoke,
  update,
  enable,
  disable,
  'add-secret': addSecret,
  'remove-secret': removeSecret,
  hash: hashKey,
  import: importKeys,
})
