import { IpfsError } from '../error.ts'
import { add } from './add.ts'
import { single } from './answers.ts'
import { blockGet, blockPut, blockStat } from './block-commands.ts'
import type { Command } from './call.ts'
import { dagExport, dagGet, dagImport, dagPut, dagResolve } from './dag-commands.ts'
import { pinAdd, pinUpdate } from './pin-add.ts'
import { pinLs, pinRm } from './pin-list.ts'
import { cat, get } from './read.ts'

const version: Command = {
  options: { all: 'bool', commit: 'bool', number: 'bool', repo: 'bool' },
  short: { n: 'number' },
  async run({ backend, backendCall, wait }) {
    return single(await wait(backend.version(backendCall)))
  },
}

const id: Command = {
  options: { format: 'string', 'peerid-base': 'string' },
  short: { b: 'peerid-base', f: 'format' },
  async run({ backend, backendCall, options, wait }) {
    const own = await wait(backend.id(backendCall))
    const [asked = own['ID']] = options.args
    if (asked !== own['ID']) {
      throw new IpfsError('unsupported', 'this service tells of no peer but itself: leave the argument out')
    }
    return single(own)
  },
}

const commands: ReadonlyMap<string, Command> = new Map([
  ['add', add],
  ['block/get', blockGet],
  ['block/put', blockPut],
  ['block/stat', blockStat],
  ['cat', cat],
  ['dag/export', dagExport],
  ['dag/get', dagGet],
  ['dag/import', dagImport],
  ['dag/put', dagPut],
  ['dag/resolve', dagResolve],
  ['get', get],
  ['id', id],
  ['pin/add', pinAdd],
  ['pin/ls', pinLs],
  ['pin/rm', pinRm],
  ['pin/update', pinUpdate],
  ['version', version],
])

const prefix = '/api/v0/'

/** The command of a path; undefined where there is none. */
export function commandAt(path: string): Command | undefined {
  return path.startsWith(prefix) ? commands.get(path.slice(prefix.length)) : undefined
}
