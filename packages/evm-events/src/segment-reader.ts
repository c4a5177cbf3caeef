import { type RawJson, rawJsonFromText, type RpcContext, type RpcRequest } from '@wayleave/jsonrpc-core'
import { askRequest, noting } from './ask-once.ts'
import type { Ask } from './chain-source.ts'
import { logsOfOneNode, type OneNodeOptions, type RangeLogs } from './one-node.ts'
import { hex } from './quantity.ts'
import type { Trust } from './trust.ts'

export interface SegmentReaderOptions extends Omit<OneNodeOptions, 'from' | 'to'> {
  /** The context of the call. */
  readonly context: RpcContext
  readonly partOf: ((context: RpcContext, question: RpcRequest) => RpcRequest) | undefined
  /** The method that reads a range. */
  readonly method: string
  /** The filter without its range, as JSON. */
  readonly search: string
  /** Blocks up to here are never replaced. */
  readonly finalTo: number
  readonly maxSegmentBytes: number
  readonly trust: Trust | undefined
}

/** Logs of a segment. */
interface SegmentLogs extends RangeLogs {
  /** The degree to which they are trusted; undefined where none is told. */
  readonly trust: number | undefined
}

/** Reads segments of a range for one search. */
export interface SegmentReader {
  /** Makes the question for a segment. */
  question(from: number, to: number): RpcRequest
  /** Reads a segment: near the head from one node that has it before and after. @throws RpcError */
  read(from: number, to: number, within: RpcContext): Promise<SegmentLogs>
}

/** The longest answer for a single block, in bytes: the logs that the gas of a large block pays for, in hex. */
const maxBlockBytes = 32 * 1_048_576

export function createSegmentReader(options: SegmentReaderOptions): SegmentReader {
  const { ask, method, search, finalTo, maxSegmentBytes } = options

  function question(from: number, to: number): RpcRequest {
    const rest = search === '{}' ? '}' : `,${search.slice(1)}`
    const params = rawJsonFromText(`[{"fromBlock":"${hex(from)}","toBlock":"${hex(to)}"${rest}]`)
    const asked: RpcRequest = { method, params, notification: false }
    return options.partOf?.(options.context, asked) ?? asked
  }

  return {
    question,
    async read(from, to, within) {
      const cap = from === to ? Math.max(maxSegmentBytes, maxBlockBytes) : maxSegmentBytes
      let trust: number | undefined
      const logsBy = (node: Ask): Promise<RawJson> =>
        askRequest(
          noting(node, (answer) => (trust = options.trust?.of(answer))),
          question(from, to),
          within,
          cap,
        )
      if (to > finalTo) return { ...(await logsOfOneNode({ ...options, from, to }, logsBy, within)), trust }
      return { logs: await logsBy(ask), ends: undefined, trust }
    },
  }
}
