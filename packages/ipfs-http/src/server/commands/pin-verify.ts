import { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { lines } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidWriter } from '../ipfs-path.ts'
import { pinsOf } from '../listed-pins.ts'
import { blocksOf, metBlocks, walkBlocks } from '../walk.ts'

/** Most broken blocks that are told of one pin. */
const mostBad = 1_000

/**
 * `POST /api/v0/pin/verify`: reads all blocks of the project's recursive pins, and tells those that are missing or broken. Nothing is
 * fetched. Source: Kubo `core/commands/pin/pin.go`.
 */
export const pinVerify: Command = {
  options: { quiet: 'bool', verbose: 'bool' },
  short: { q: 'quiet' },
  async run(call) {
    const [isVerbose, isQuiet] = [call.options.bool('verbose') === true, call.options.bool('quiet') === true]
    if (isVerbose && isQuiet) {
      throw new IpfsError('bad_argument', 'the --verbose and --quiet options can not be used at the same time')
    }
    return lines(verified(call, isVerbose, isQuiet), { eager: true })
  },
}

async function* verified(call: Call, isVerbose: boolean, isQuiet: boolean): AsyncGenerator<object, void, undefined> {
  const write = cidWriter(call.options)
  const source = blocksOf(call, true)
  for await (const pin of pinsOf(call, ({ type }) => type === 'recursive')) {
    const root = CID.parse(pin.cid)
    const bad: { Cid: string; Err: string }[] = []
    for await (const { cid, failure } of walkBlocks(source, [root], metBlocks(), {
      reads: 'all',
      signal: call.signal,
    })) {
      if (failure !== undefined) bad.push({ Cid: write(cid), Err: failure.message })
      if (bad.length === mostBad) break
    }
    if (bad.length > 0) yield { Cid: write(root), ...(!isQuiet && { BadNodes: bad }) }
    else if (isVerbose) yield { Cid: write(root), Ok: true }
  }
}
