import { single } from '../answers.ts'
import type { Command } from '../call.ts'
import { cidWriterLike, readIpfsPath } from '../ipfs-path.ts'

/** `POST /api/v0/resolve`: the CID at the end of a path. Names of IPNS are not resolved. Source: Kubo `core/commands/resolve.go`. */
export const resolve: Command = {
  argument: 'name',
  bodyArguments: true,
  options: { 'dht-record-count': 'int', 'dht-timeout': 'string', recursive: 'bool' },
  short: { dhtrc: 'dht-record-count', dhtt: 'dht-timeout', r: 'recursive' },
  async run({ backend, backendCall, options, wait }) {
    const text = options.args[0]!
    const write = cidWriterLike(text, options)
    const { cid, remainder } = await wait(backend.resolve(readIpfsPath(text), backendCall))
    return single({ Path: ['/ipfs', write(cid), ...remainder].join('/') })
  },
}
