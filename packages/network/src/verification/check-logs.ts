import type { BlockAnswer, BlockLogsOptions, StreamBlock } from '@wayleave/evm-events'
import { runCheck, verification, type VerificationLevel, verifyHeader } from '@wayleave/evm-verify'
import {
  isStream,
  type RawJson,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
} from '@wayleave/jsonrpc-core'
import type { OffloadCheck } from './check-queue.ts'
import type { BlockCheck } from './check-text.ts'
import { hasCompleteBlooms } from './complete-blooms.ts'

export interface CheckLogsOptions {
  /** The upstreams of the network: logs are verified as those of the strictest one. */
  readonly endpoints: readonly { readonly verify: VerificationLevel }[]
  /** The chain of the network, if it is known. */
  readonly chainId: number | undefined
  /** Asks the upstreams. */
  readonly ask: RpcHandler
  /** Checks long answers elsewhere. Default: here. */
  readonly offload?: OffloadCheck | undefined
}

/** The strictest one first. */
const levels: readonly VerificationLevel[] = ['proven', 'consistent']
/** Answers up to this length are checked at once, in bytes. */
const shortAnswer = 8 * 1_024

/**
 * Makes the options of a reader of blocks that verify what it reads. `consistent`: the logs of a block have the bloom filter of its
 * header, each at its place, or the receipts have its root. `proven`: the header hashes to the block's hash, too, and the logs are
 * those of receipts that have its root, where an upstream gives them. A header that does not hash to its block's hash rules nothing
 * out; `proven`: `ask` gives no block with such a header. Answers that came proven are not verified again.
 */
export function checkBlockLogs(
  options: CheckLogsOptions,
): Pick<BlockLogsOptions, 'ask' | 'verify' | 'hasTrueHeader'> & { readonly hasCompleteBlooms: boolean } {
  const { endpoints, chainId, ask, offload } = options
  const level = levels.find((each) => endpoints.some(({ verify }) => verify === each)) ?? 'off'
  const isComplete = hasCompleteBlooms(chainId)
  if (level === 'off') return { ask, verify: undefined, hasCompleteBlooms: isComplete }
  const provenOnes = new WeakSet<RawJson>()

  async function judge(answer: BlockAnswer, receipts: RawJson | undefined, header: Header, context: RpcContext) {
    const bytes = answer.raw.byteLength + (receipts?.byteLength ?? 0)
    const verdict =
      offload !== undefined && bytes > shortAnswer
        ? await offload({ ofText: checkOf(answer.kind, answer.raw.text(), receipts?.text(), header) }, context)
        : runCheck(checkOf(answer.kind, answer.raw.value(), receipts?.value(), header))
    if (verdict.ok === false) throw refused(verdict.reason)
  }

  /** Asks for all receipts of a block; undefined where no upstream gives them. */
  async function receiptsOf(hash: string, context: RpcContext): Promise<RawJson | undefined> {
    const request = { method: 'eth_getBlockReceipts', params: rawJsonFromValue([hash]), notification: false }
    const fork = context.fork({ acceptStream: false })
    try {
      const { error, result } = await ask(request, fork.context)
      return error !== undefined || isStream(result) || result.text() === 'null' ? undefined : result
    } catch (thrown) {
      if (context.cancelled !== undefined) throw context.cancelled
      if (thrown instanceof RpcError && thrown.code === 'overloaded') throw thrown
      return undefined
    } finally {
      fork.release()
    }
  }

  async function verifyAnswer(...[block, answer, context]: Parameters<Verify>): Promise<void> {
    if (provenOnes.has(answer.raw)) return
    const header = block.header.value() as Header
    if (level === 'proven') {
      const verdict = verifyHeader(header, { hash: block.hash as Hash })
      if (verdict.ok === false) throw refused(verdict.reason)
    }
    const isWhole = answer.kind === 'receipts' || level !== 'proven'
    return judge(answer, isWhole ? undefined : await receiptsOf(block.hash, context), header, context)
  }

  return {
    hasCompleteBlooms: isComplete,
    hasTrueHeader,
    async ask(request, context) {
      const response = await ask(request, context)
      if (response.error !== undefined || isStream(response.result)) return response
      if (verification.of(response.meta)?.level === 'proven') provenOnes.add(response.result)
      else if (level === 'proven') refuseFalseBlock(request, response.result)
      return response
    },
    verify: isComplete ? verifyAnswer : undefined,
  }
}

type Verify = NonNullable<BlockLogsOptions['verify']>

function hasTrueHeader({ hash, header }: Pick<StreamBlock, 'hash' | 'header'>): boolean {
  return verifyHeader(header.value(), { hash: hash as Hash }).ok !== false
}

/** Refuses a block that does not hash to the hash that was asked for, or to its own. @throws RpcError `invalid_response` */
function refuseFalseBlock({ method, params }: RpcRequest, result: RawJson): void {
  if (method !== 'eth_getBlockByHash' && method !== 'eth_getBlockByNumber') return
  const block = result.value()
  if (block === null) return
  const [place] = params!.value() as [string]
  const verdict = verifyHeader(block, method === 'eth_getBlockByHash' ? { hash: place as Hash } : {})
  if (verdict.ok === false) throw refused(verdict.reason)
}

type Header = Extract<BlockCheck, { check: 'logs' }>['expected']['header']
type Hash = NonNullable<Header['hash']>

/** The check of an answer, all values or all texts. */
function checkOf(kind: BlockAnswer['kind'], answer: unknown, receipts: unknown, header: Header): BlockCheck {
  if (kind === 'logs')
    return { check: kind, answer, expected: receipts === undefined ? { header } : { header, receipts } }
  const { receiptsRoot, hash, number } = header
  return { check: kind, answer, expected: { receiptsRoot, blockHash: hash!, blockNumber: number! } }
}

/** The words of a node stay out of a message that others may print. */
function refused(reason: string): RpcError {
  return new RpcError('invalid_response', 'a block or its logs do not verify', { cause: new Error(reason) })
}
