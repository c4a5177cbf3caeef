import { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import type { Pin } from '../../pin-ledger.ts'
import { lines, singleInPieces } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidAt, cidWriter } from '../ipfs-path.ts'
import { holderOf, indirectPins, type ListedPin, pinsOf } from '../listed-pins.ts'
import { pinName } from '../pins.ts'

/** `POST /api/v0/pin/ls`: lists the project's pins, and as indirect ones the blocks below them. Source: Kubo `core/commands/pin/pin.go`. */
export const pinLs: Command = {
  argument: 'ipfs-path',
  fewest: 0,
  options: { name: 'string', names: 'bool', quiet: 'bool', stream: 'bool', type: 'string' },
  short: { n: 'name', q: 'quiet', s: 'stream', t: 'type' },
  async run(call) {
    const { options } = call
    const type = options.string('type') ?? 'all'
    if (!['direct', 'indirect', 'recursive', 'all'].includes(type)) {
      throw new IpfsError(
        'bad_argument',
        `invalid type '${type.slice(0, 64)}', must be one of {direct, indirect, recursive, all}`,
      )
    }
    const name = pinName(options.string('name'))
    const isNamed = options.bool('names') === true || name !== undefined
    const write = cidWriter(options)
    const pins = options.args.length > 0 ? pinsAt(call, type, write) : listed(call, type, name)
    const printed = (pin: ListedPin): { Cid: string; Name: string; Type: string } => ({
      Cid: write(CID.parse(pin.cid)),
      Name: isNamed ? (pin.name ?? '') : '',
      Type: pin.type,
    })
    if (options.bool('stream') !== true) return singleInPieces(keysOf(pins, printed))
    return lines(
      mapped(pins, (pin) => {
        const { Name, ...rest } = printed(pin)
        return Name === '' ? rest : { Cid: rest.Cid, Name, Type: rest.Type }
      }),
      { eager: true },
    )
  },
}

/** The project's pins of a type: those of the ledger, then the blocks below them, which have no names. */
async function* listed(call: Call, type: string, name: string | undefined): AsyncGenerator<ListedPin, void, undefined> {
  const fits = (pin: Pin): boolean =>
    (type === 'all' || pin.type === type) && (name === undefined || pin.name?.includes(name) === true)
  if (type !== 'indirect') yield* pinsOf(call, fits)
  if ((type === 'indirect' || type === 'all') && name === undefined) yield* indirectPins(call)
}

/** The project's pins of the arguments. Throws `not_pinned` for one that it does not pin. */
async function* pinsAt(
  call: Call,
  type: string,
  write: (cid: CID) => string,
): AsyncGenerator<ListedPin, void, undefined> {
  // In Kubo's order of errors: first paths that lead nowhere, then CIDs that are not pinned.
  const cids: CID[] = []
  for (const text of call.options.args) cids.push(await cidAt(call, text))
  for (const [at, cid] of cids.entries()) {
    const pin = await call.ledger.get(call.project.id, String(cid))
    if (pin !== undefined && (type === 'all' || type === pin.type)) {
      yield pin
      continue
    }
    // As in Kubo, a block that is pinned directly may be indirect as well, but one that is pinned recursively is not.
    const mayBeBelow =
      pin === undefined ? type === 'all' || type === 'indirect' : type === 'indirect' && pin.type === 'direct'
    const holder = mayBeBelow ? await holderOf(call, cid) : undefined
    const text = call.options.args[at]!
    if (holder === undefined) throw new IpfsError('not_pinned', `path '${text.slice(0, 200)}' is not pinned`)
    yield { cid: String(cid), type: `indirect through ${write(holder)}`, name: undefined }
  }
}

async function* keysOf(
  pins: AsyncIterable<ListedPin>,
  printed: (pin: ListedPin) => { Cid: string; Name: string; Type: string },
): AsyncGenerator<string, void, undefined> {
  let before = '{"Keys":{'
  for await (const pin of pins) {
    const { Cid, Name, Type } = printed(pin)
    yield `${before}${JSON.stringify(Cid)}:${JSON.stringify({ Type, Name })}`
    before = ','
  }
  yield before === ',' ? '}}\n' : `${before}}}\n`
}

async function* mapped<T, R>(source: AsyncIterable<T>, map: (value: T) => R): AsyncGenerator<R, void, undefined> {
  for await (const value of source) yield map(value)
}
