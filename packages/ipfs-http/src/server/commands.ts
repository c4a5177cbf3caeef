import type { Command } from './call.ts'
import { add } from './commands/add.ts'
import { blockGet, blockPut, blockRm, blockStat } from './commands/block.ts'
import { dagStat } from './commands/dag-stat.ts'
import { dagExport, dagGet, dagImport, dagPut, dagResolve } from './commands/dag.ts'
import { filesStat } from './commands/files-stat.ts'
import { ls } from './commands/ls.ts'
import { commandsOf, id, repoStat, version } from './commands/node.ts'
import { pinLs } from './commands/pin-ls.ts'
import { pinVerify } from './commands/pin-verify.ts'
import { pinAdd, pinRm, pinUpdate } from './commands/pin.ts'
import { cat, get } from './commands/read.ts'
import { refs } from './commands/refs.ts'
import { resolve } from './commands/resolve.ts'

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
  ['repo/stat', repoStat],
  ['resolve', resolve],
  ['version', version],
])

/** The names of the commands that the server has, in alphabetical order: `add`, `block/get`. */
export const ipfsCommands: readonly string[] = [...commands.keys()]

const prefix = '/api/v0/'

/** The command name of a path without its query: `pin/ls` of `/api/v0/pin/ls`. Undefined for any path that is a 404. */
export function ipfsCommandOf(path: string): string | undefined {
  const name = path.startsWith(prefix) ? path.slice(prefix.length) : ''
  return commands.has(name) ? name : undefined
}

/** The command of a path; undefined for any path that is a 404. */
export function commandAt(path: string): Command | undefined {
  return commands.get(ipfsCommandOf(path) ?? '')
}
