import { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import type { Pin } from '../pin-ledger.ts'
import { lines, single, singleInPieces } from './answers.ts'
import type { Call, Command } from './call.ts'
import { cidWriter } from './ipfs-path.ts'
import { cidAt } from './paths.ts'
import { pinName, release } from './pins.ts'

const pageSize = 500

/** `POST /api/v0/pin/rm`: in their order, up to the first that is not pinned. Source: Kubo `core/commands/pin/pin.go`. */
export const pinRm: Command = {
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { recursive: 'bool' },
  short: { r: 'recursive' },
  async run(call) {
    const { options, ledger, claims, project } = call
    const write = cidWriter(options)
    const removed: string[] = []
    for (const text of options.args) {
      const cid = await cidAt(call, text)
      const pin = await ledger.get(project.id, String(cid))
      if (pin?.type === 'recursive' && options.bool('recursive') === false) {
        throw new IpfsError('bad_argument', `${cid} is pinned recursively`)
      }
      const gone = await claims.change(project.id, [String(cid)], () => ledger.remove(project.id, String(cid)))
      if (pin === undefined || gone === undefined) throw new IpfsError('not_pinned', 'not pinned or pinned indirectly')
      if (gone.last) {
        await release(call, cid, pin.type).catch(async (thrown: unknown) => {
          // The caller can ask again.
          await ledger.put(project.id, pin)
          throw thrown
        })
      }
      removed.push(write(cid))
    }
    return single({ Pins: removed })
  },
}

/** `POST /api/v0/pin/ls`: what the project pins; what lies below its pins is no pin here. Source: Kubo `core/commands/pin/pin.go`. */
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
    const fits = (pin: Pin): boolean => type === 'all' || pin.type === type
    const pins = options.args.length > 0 ? pinsAt(call, fits) : pinsOf(call, (pin) => fits(pin) && hasName(pin, name))
    const printed = (pin: Pin): { Cid: string; Name: string; Type: string } => ({
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
      { eager: false },
    )
  },
}

function hasName(pin: Pin, name: string | undefined): boolean {
  return name === undefined || pin.name?.includes(name) === true
}

/** The project's pins of the arguments. Throws where one of them is none. */
async function* pinsAt(call: Call, fits: (pin: Pin) => boolean): AsyncGenerator<Pin, void, undefined> {
  // As Kubo: a path that leads nowhere comes before one that is not pinned.
  const cids: CID[] = []
  for (const text of call.options.args) cids.push(await cidAt(call, text))
  for (const [at, cid] of cids.entries()) {
    const text = call.options.args[at]!
    const pin = await call.ledger.get(call.project.id, String(cid))
    if (pin === undefined || !fits(pin)) throw new IpfsError('not_pinned', `path '${text.slice(0, 200)}' is not pinned`)
    yield pin
  }
}

async function* pinsOf({ ledger, project }: Call, fits: (pin: Pin) => boolean): AsyncGenerator<Pin, void, undefined> {
  let after: string | undefined
  for (;;) {
    const page = await ledger.list(project.id, { after, limit: pageSize })
    yield* page.filter(fits)
    if (page.length < pageSize) return
    after = page.at(-1)!.cid
  }
}

async function* keysOf(
  pins: AsyncIterable<Pin>,
  printed: (pin: Pin) => { Cid: string; Name: string; Type: string },
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
