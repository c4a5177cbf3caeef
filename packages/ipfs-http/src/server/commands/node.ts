import { IpfsError } from '../../error.ts'
import { single } from '../answers.ts'
import type { Command } from '../call.ts'

/** `POST /api/v0/version`. Source: Kubo `core/commands/version.go`. */
export const version: Command = {
  options: { all: 'bool', commit: 'bool', number: 'bool', repo: 'bool' },
  short: { n: 'number' },
  async run({ backend, backendCall, wait }) {
    return single(await wait(backend.version(backendCall)))
  },
}

/** `POST /api/v0/id`. Source: Kubo `core/commands/id.go`. */
export const id: Command = {
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
