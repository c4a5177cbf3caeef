import type { Verification } from '@wayleave/evm-verify'
import {
  type Clock,
  type Extension,
  isStream,
  type RpcContext,
  type RpcHandler,
  type RpcMeta,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import {
  type CachedQuestion,
  cacheOutcome,
  type CacheOutcome,
  type Compression,
  createRpcCache,
  type MemoryStore,
  type RpcCacheOptions,
  type WholeResult,
} from '@wayleave/rpc-cache'
import { consensusOutcome, type HeadReader } from '@wayleave/upstream'
import { adaptedFrom } from '../kinds/adapted-from.ts'
import type { CacheHeads, CacheKind } from '../kinds/cache-kind.ts'
import { type CallClass, methodClassOf } from '../kinds/method-class.ts'
import { isRead, mayWrite } from '../kinds/method-facts.ts'
import type { NetworkKind } from '../kinds/network-kind.ts'
import type { Chain } from '../heads/chain.ts'
import type { NetworkLife } from '../life/network-life.ts'
import { answerAdmission } from './admission-of-answers.ts'
import { createPinnedAsks } from './ask-pinned.ts'
import { createConfirmedBlocks } from './confirmed-blocks.ts'
import type { AnswerSources } from '../life/answer-sources.ts'
import type { FinalCheckOptions } from './final-check.ts'
import { createServedChain, type ServedChain } from './served-chain.ts'
import type { FindConfirmer } from './confirmers.ts'
import type { NetworkAnswers } from './shared-answer-cache.ts'
import { sharedOfChain } from './shared-of-chain.ts'
import { skipsCache } from '../hints/skips-cache.ts'
import { hintsOf, withHints } from '../hints/call-hints.ts'

export interface CacheStageOptions {
  /** Names the network and all that decides which answers are right and allowed there. */
  readonly partition: string
  /** The network's name, under which the store counts its answers. Default: nobody counts them. */
  readonly name?: string
  readonly kind: Pick<NetworkKind, 'facts' | 'chainIdMethod' | 'expectedChain' | 'apiVersions'>
  readonly cache: CacheKind
  /** The chain that the network's nodes have to name, and the questions for it. */
  readonly reader: HeadReader
  /** Finds another upstream to ask whether a block that an answer names is on the chain. Default: an answer is believed. */
  readonly findConfirmer?: FindConfirmer | undefined
  /** Undefined: heads are not followed, so that only answers are kept that follow from their params or a block's hash. */
  readonly chain: Chain | undefined
  readonly life: Pick<NetworkLife, 'rewritten' | 'written'>
  /** The bytes that all networks share. */
  readonly store: MemoryStore
  readonly compression?: Compression | undefined
  /** Behind the memory. Default: none. */
  readonly shared?: NetworkAnswers | undefined
  /** Asks the nodes for the hash of their block at a height. */
  readonly hashAt: FinalCheckOptions['hashAt']
  /** Reads how far an answer is verified. Undefined: those of no upstream are. */
  readonly verified: Extension<Verification> | undefined
  readonly keepsUnproven: boolean
  /** Whether a block hashes to its name. Default: name and shape decide. */
  readonly isHashed?: ((block: Readonly<Record<string, unknown>>) => boolean) | undefined
  /** The upstreams that gave the answers. Default: what an upstream gave is never dropped with it. */
  readonly sources?: AnswerSources | undefined
  readonly onOutcome: (outcome: CacheOutcome, method: CallClass, bytes: number) => void
  readonly clock: Clock
}

/** The cache of a network. */
export interface CacheStage {
  /** Answers calls from the cache, else by a handler. `groups`: those whose upstreams it asks; undefined: all. */
  wrap(handler: RpcHandler, groups: readonly string[] | undefined): RpcHandler
  /** Drops what is not final, and has calls pass. May be called again. */
  close(): void
}

/** Creates the cache of a network: each list of groups has answers of its own. */
export function createCacheStage(options: CacheStageOptions): CacheStage {
  const { kind, cache, reader, store, shared, sources, verified, clock, onOutcome } = options
  const { rewritten } = options.life
  const ofChain = shared && sharedOfChain(shared, rewritten, options.hashAt, () => chain?.isUnsure() === true)
  const chain: ServedChain | undefined =
    options.chain &&
    createServedChain({
      ...options,
      chain: options.chain,
      ...(ofChain && {
        onConfirmed: () => void ofChain.agree(),
        isUnshared: () => rewritten.epoch === undefined && !rewritten.isRewritten,
      }),
    })
  const pinned = createPinnedAsks(clock, cache.isAnswer)
  const classOf = methodClassOf(kind.facts)
  const admits = answerAdmission({ ...options, chain, expectedChain: reader.expectedChain })
  const behind = chain === undefined ? shared : ofChain?.cache
  const opened: { close(): void }[] = []
  let isClosed = false
  let waiting = 0
  const counted = ({ method }: RpcRequest, outcome: CacheOutcome, bytes: number): void =>
    onOutcome(outcome, classOf(method), bytes)

  /** Has an upstream tell its head once more where it may have lost blocks of the range that it answered for, as after a restart. */
  function judgedLater({ life }: CachedQuestion, { result, meta }: WholeResult): Promise<boolean> | undefined {
    if (life.of !== 'numbers' || chain === undefined || life.to <= (chain.finalized?.height ?? -1)) return undefined
    const endpoint = meta?.endpoint
    const isNever = verified === undefined && cache.isEmpty(result)
    if (endpoint === undefined || isNever || waiting === mostWaiting) return never
    waiting++
    return chain.reaches(endpoint, life.to).finally(() => waiting--)
  }

  function wrap(handler: RpcHandler, groups: readonly string[] | undefined): RpcHandler {
    if (isClosed) return handler
    // The head that all upstreams agree on is not for those who may ask only some.
    const headsFor = (tenant: string | undefined): CacheHeads => {
      const heads = chain?.headsFor(tenant) ?? noHeads
      return groups === undefined ? heads : { ...noHeads, finalized: heads.finalized }
    }
    const { findConfirmer } = options
    const blocks =
      chain !== undefined && verified === undefined && findConfirmer !== undefined
        ? createConfirmedBlocks({ ask: handler, groups, chain, cache, reader, findConfirmer, clock })
        : undefined
    if (blocks !== undefined) opened.push({ close: chain!.onReorg((lastKept) => lastKept < 0 && blocks.forget()) })

    const kept = createRpcCache({
      classify(request, { tenant }) {
        const question = cache.classify(request, headsFor(tenant))
        return question === undefined || !('ask' in question) || pinned.mayAsk(request.method) ? question : undefined
      },
      positionOf(request, result) {
        const place = cache.positionOf(request, result)
        return place && { height: place.number, hash: place.hash }
      },
      admits,
      judgedLater: (question, response, request, { tenant }) =>
        judgedLater(question, response) ?? blocks?.judge(question, response, request, tenant),
      sent(asked, { life }, came) {
        const cacheHead = life.of === 'head' ? life.at.hash : undefined
        const original = asked === came ? undefined : came
        return original === undefined && cacheHead === undefined ? came : withHints(asked, { original, cacheHead })
      },
      chain: chain ?? noChain,
      store,
      partition: groups === undefined ? options.partition : `${options.partition} ${groups.join(' ')}`,
      owner: options.name,
      compression: options.compression,
      shared: behind,
      skip: skipsCache,
      ...(kind.apiVersions ? originMarks : verifiedMarks(verified)),
      ...(sources && {
        sourceOf: ({ meta }) => (meta?.endpoint === undefined ? undefined : sources.of(meta.endpoint)),
      }),
      onOutcome: counted,
    })
    opened.push(kept)
    const answer = kept.middleware(pinned.middleware(handler))

    async function write(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const response = await handler(request, context)
      if (response.error !== undefined) return response
      // Whichever network has this one's place by then.
      for (const report of options.life.written) report(context.tenant, cache.resets(request.method))
      return response
    }

    /** The answer to a call that asks for the served head alone. */
    function headAnswer(request: RpcRequest, context: RpcContext): RpcResponse | undefined {
      if (!mayAskForHead.has(request.method) || skipsCache(request, context)) return undefined
      const { head } = headsFor(context.tenant)
      const reported = head && cache.answerAt(request, head)
      if (reported === undefined || reported.error !== undefined || isStream(reported.result)) return undefined
      counted(request, 'hit', reported.result.byteLength)
      return { ...reported, meta: cacheOutcome.on({}, 'hit') }
    }

    /** Whether a kept answer to a call is about blocks, and so wrong on another chain. */
    function isOfBlocks(request: RpcRequest, { tenant }: RpcContext): boolean {
      const of = cache.classify(request, headsFor(tenant))?.life.of
      return of !== undefined && of !== 'params' && of !== 'head'
    }

    async function checked(check: Promise<boolean>, request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const reported = await answer(request, context)
      return cacheOutcome.of(reported.meta) !== 'hit' || (await inTime(check, context))
        ? reported
        : answer(request, context)
    }

    return (request, context) => {
      if (!isRead(kind.facts, request.method))
        return mayWrite(kind.facts, request.method, cache.resets) ? write(request, context) : handler(request, context)
      if (isOfNode(request) || hintsOf(request).isOfStream) return handler(request, context)
      if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
      const ask = (): RpcResponse | Promise<RpcResponse> => {
        const reported = headAnswer(request, context)
        if (reported !== undefined) return reported
        const check = chain?.confirmed()
        return check !== undefined && isOfBlocks(request, context)
          ? checked(check, request, context)
          : answer(request, context)
      }
      if (options.chain?.settled === undefined) return Promise.resolve(ask())
      return afterSettling(ask, options.chain, () => handler(request, context))
    }
  }

  return {
    wrap,
    close() {
      isClosed = true
      for (const each of opened) each.close()
      chain?.close()
    },
  }
}

/** Most answers that wait to be judged; further ones are not kept. */
const mostWaiting = 256
const never = Promise.resolve(false)

/** Whether a call is for the answer of one node, whichever that is. */
function isOfNode(request: RpcRequest): boolean {
  const { pinnedUpstream, bypassCache } = hintsOf(request)
  return pinnedUpstream !== undefined || bypassCache
}

/** Further looks for an answer where other processes told a later head meanwhile. */
const mostRounds = 3

/** Answers once all other processes know what callers are told here, and never of a head below the one that they told meanwhile. */
async function afterSettling(
  ask: () => RpcResponse | Promise<RpcResponse>,
  { settled, reportedHead }: Pick<Chain, 'settled' | 'reportedHead'>,
  pass: () => Promise<RpcResponse>,
): Promise<RpcResponse> {
  for (let rest = mostRounds; rest > 0; rest--) {
    const before = reportedHead()
    const answer = await ask()
    if (cacheOutcome.of(answer.meta) !== 'hit') return answer
    const isSettled = await settled!().then(
      () => true,
      () => false,
    )
    // If nobody knows what others told, the node's answer says whether it matters.
    if (!isSettled) break
    if (reportedHead() === before) return answer
  }
  return pass()
}

/** Settles as a promise does that others wait for, too, or rejects when the call is over. */
function inTime<T>(promise: Promise<T>, context: RpcContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = context.onCancel(reject)
    promise.finally(forget).then(resolve, reject)
  })
}

/** Methods that ask for nothing but the head. */
const mayAskForHead = new Set(['eth_blockNumber', 'starknet_blockNumber', 'starknet_blockHashAndNumber'])

const noHeads: CacheHeads = { head: undefined, finalized: undefined, hashAt: () => undefined }
const noChain = { head: undefined, finalized: undefined, blockTimeMs: 0, onReorg: () => () => {} }

/** Keeps the version from which an answer was translated. */
const originMarks: Pick<RpcCacheOptions, 'markOf' | 'metaOf'> = {
  markOf: ({ meta }) => adaptedFrom.of(meta),
  metaOf: (mark) => adaptedFrom.on({}, mark),
}

/** Members whose levels decide what an answer says of itself. */
const decisive = ['blockHash', 'transactions'] as const

/** Keeps how far an answer was verified, without most of its members, and whether several upstreams agreed on it. */
function verifiedMarks(verified: Extension<Verification> | undefined): Pick<RpcCacheOptions, 'markOf' | 'metaOf'> {
  return {
    markOf({ meta }) {
      const found = verified?.of(meta)
      const agreed = consensusOutcome.of(meta) === 'agreed' ? 'agreed' : ''
      if (found === undefined) return agreed === '' ? undefined : ` ${agreed}`
      const levels = decisive.map((name) => found.fields[name] ?? '')
      return `${found.level} ${agreed} ${found.anchor} ${levels.join(' ')}`
    },
    metaOf(mark) {
      const [level, agreed, anchor, ...levels] = mark.split(' ')
      const meta: RpcMeta = agreed === 'agreed' ? consensusOutcome.on({}, 'agreed') : {}
      if (verified === undefined || anchor === undefined) return meta
      const fields = Object.fromEntries(
        decisive.map((name, i) => [name, levels[i]]).filter(([, known]) => known !== ''),
      )
      return verified.on(meta, { level, anchor, fields } as Verification)
    },
  }
}
