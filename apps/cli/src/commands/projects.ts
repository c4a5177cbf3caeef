import { addJwtKey, create, disable, enable, list, remove, removeJwtKey, show, update } from '../accounts/projects.ts'
import { commandOf } from '../accounts/subcommands.ts'
import type { Command } from '../command.ts'

/** `wayleave projects`: the holders of keys, of a running gateway or its store. */
export const projects: Command = commandOf(
  'projects',
  'Projects, which hold keys, of a running gateway or of its store.',
  {
    create,
    list,
    show,
    update,
    enable,
    disable,
    remove,
    'add-jwt-key': addJwtKey,
    'remove-jwt-key': removeJwtKey,
  },
)
