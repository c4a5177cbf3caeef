import { absentCommand } from './absent-commands.ts'
import type { Command } from './call.ts'
import { add } from './commands/add.ts'
import { blockGet, blockPut, blockRm, blockStat } from './commands/block.ts'
import { dagStat } from './commands/dag-stat.ts'
import { dagExport, dagGet, dagImport, dagPut, dagResolve } from './commands/dag.ts'
import { filesStat } from './commands/files-stat.ts'
import { ls } from './commands/ls.ts'
import { commandsOf, id, version } from './commands/node.ts'
import { pinLs } from './commands/pin-ls.ts'
import { pinVerify } from './commands/pin-verify.ts'
import { pinAdd, pinRm, pinUpdate } from './commands/pin.ts'
import { cat, get } from './commands/read.ts'
import { refs } from './commands/refs.ts'
import { refsLocal, repoGc, repoStat, repoVerify } from './commands/repo.ts'
import { resolve } from './commands/resolve.ts'
import { refusal } from './refusal.ts'

/** Every command of the API by its name. A new one is written in the file of its family, and gets a line here. */
const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['add', add],
  ['block/get', blockGet],
  ['block/put', blockPut],
  ['block/rm', blockRm],
  ['block/stat', blockStat],
  ['cat', cat],
  ['commands', commandsOf(() => commands)],
  ['dag/export', dagExport],
  ['dag/get', dagGet],
  ['dag/import', dagImport],
  ['dag/put', dagPut],
  ['dag/resolve', dagResolve],
  ['dag/stat', dagStat],
  ['files/stat', filesStat],
  ['get', get],
  ['id', id],
  ['ls', ls],
  ['pin/add', pinAdd],
  ['pin/ls', pinLs],
  ['pin/rm', pinRm],
  ['pin/update', pinUpdate],
  ['pin/verify', pinVerify],
  ['refs', refs],
  ['refs/local', refsLocal],
  ['repo/gc', repoGc],
  ['repo/stat', repoStat],
  ['repo/verify', repoVerify],
  ['resolve', resolve],
  ['version', version],
])

/** The names of the commands that the server has, in alphabetical order: `add`, `block/get`. */
export const ipfsCommands: readonly string[] = [...commands.keys()]

const prefix = '/api/v0/'

/** The command name of a path without its query: `pin/ls` of `/api/v0/pin/ls`. Undefined for any path that the server does not have. */
export function ipfsCommandOf(path: string): string | undefined {
  const name = nameOf(path)
  return commands.has(name) ? name : undefined
}

/** The command of a path. @throws Refusal 501 for one that Kubo has, 404 for any other */
export function commandAt(path: string): Command {
  const name = nameOf(path)
  const found = commands.get(name)
  if (found === undefined) throw absentCommand(name) ?? refusal(404, '404 page not found\n')
  return found
}

function nameOf(path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : ''
}
