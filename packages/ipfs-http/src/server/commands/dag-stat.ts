import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { lines } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidWriter, readIpfsPath } from '../ipfs-path.ts'
import { blocksOf, meet, metBlocks, walkBlocks } from '../walk.ts'

/** Time between two lines of progress, in ms. */
const progressMs = 500

/** `POST /api/v0/dag/stat`: the blocks of DAGs, each once, and their bytes. Source: Kubo `core/commands/dag/stat.go`. */
export const dagStat: Command = {
  argument: 'root',
  bodyArguments: true,
  options: { progress: 'bool' },
  short: { p: 'progress' },
  async run(call) {
    const isReported = call.options.bool('progress') ?? true
    return lines(stats(call, isReported), { eager: isReported })
  },
}

interface DagStat {
  readonly Cid: string
  Size: number
  NumBlocks: number
}

async function* stats(call: Call, isReported: boolean): AsyncGenerator<object, void, undefined> {
  const { clock, options } = call
  const write = cidWriter(options)
  const found: DagStat[] = []
  const all = options.args.length > 1 ? metBlocks() : undefined
  let [unique, total, counted] = [0, 0, 0]
  let reported = clock.now()
  for (const text of options.args) {
    const root = await rootAt(call, text)
    const stat = { Cid: write(root), Size: 0, NumBlocks: 0 }
    found.push(stat)
    for await (const { cid, size, failure } of walkBlocks(blocksOf(call), [root], metBlocks(), {
      reads: 'all',
      signal: call.signal,
    })) {
      if (failure !== undefined) throw failure
      stat.Size += size
      stat.NumBlocks++
      counted += size
      if (all === undefined || meet(all, cid)) {
        unique++
        total += size
      }
      if (!isReported || clock.now() - reported < progressMs) continue
      reported = clock.now()
      yield { ...nonZero({ TotalSize: total }), DagStats: found.map(nonZero) }
    }
  }
  const summary = {
    UniqueBlocks: unique,
    TotalSize: total,
    SharedSize: counted - total,
    Ratio: float32(counted / total),
  }
  yield { ...nonZero(summary), DagStats: found.map(nonZero) }
}

async function rootAt({ backend, backendCall, wait }: Call, text: string): Promise<CID> {
  const { cid, remainder } = await wait(backend.resolve(readIpfsPath(text), backendCall))
  if (remainder.length === 0) return cid
  throw new IpfsError('bad_argument', 'cannot return size for anything other than a DAG with a root CID')
}

/** Leaves out members of 0, as Go does, and a ratio of 0 to 0. */
function nonZero(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0 && !Number.isNaN(value)))
}

/** The shortest number that is the same in 32 bits. */
function float32(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === Math.fround(value)) return short
  }
  return value
}
