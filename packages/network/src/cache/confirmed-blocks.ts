import { type Clock, createContext, type RpcHandler, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { CachedQuestion, WholeResult } from '@wayleave/rpc-cache'
import type { HeadReader, Position } from '@wayleave/upstream'
import type { CacheKind } from '../kinds/cache-kind.ts'
import type { ServedChain } from './served-chain.ts'
import { absent, type FindConfirmer } from './confirmers.ts'
import { withHints } from '../hints/call-hints.ts'

/** Final blocks that answers name, and whose hashes are not followed any more. Those that are remembered were named by two upstreams. */
export interface ConfirmedBlocks {
  /**
   * Resolves with whether an answer names a block of the chain: from the second time on that its question is answered, another upstream is asked
   * for the block, so that what is asked but once costs nothing. Undefined where there is nothing to confirm. Never rejects.
   */
  judge(
    question: CachedQuestion,
    response: WholeResult,
    request: RpcRequest,
    tenant: string | undefined,
  ): Promise<boolean> | undefined
  /** Forgets all, as blocks that were final may have been replaced. */
  forget(): void
}

export interface ConfirmedBlocksOptions {
  readonly ask: RpcHandler
  /** The groups whose upstreams may be asked; undefined: all. */
  readonly groups: readonly string[] | undefined
  readonly chain: Pick<ServedChain, 'finalized' | 'hashAt'>
  readonly cache: Pick<CacheKind, 'positionOf' | 'blockAt'>
  readonly reader: Pick<HeadReader, 'positionOf'>
  readonly findConfirmer: FindConfirmer
  readonly clock: Clock
}

/** Questions that were answered once, and hashes of blocks, that are remembered. */
const mostQuestions = 32_768
const mostHashes = 1_024
/** Most blocks that are asked for at a time; answers that name further ones are not kept. */
const mostAsked = 64
const askMs = 5_000

export function createConfirmedBlocks(options: ConfirmedBlocksOptions): ConfirmedBlocks {
  const { ask, groups, chain, cache, reader, findConfirmer, clock } = options
  const once = new Set<number>()
  const hashes = new Map<number, string>()
  let asking = 0
  let forgotten = 0

  async function hashBy(confirmer: string, height: number, tenant: string | undefined): Promise<string | undefined> {
    const context = createContext({ clock, tenant, timeoutMs: askMs })
    try {
      const block = reader.positionOf(
        await ask(withHints(cache.blockAt(height), { pinnedUpstream: confirmer }), context),
      )
      return block?.number === height ? block.hash : undefined
    } catch {
      return undefined
    } finally {
      context.release()
    }
  }

  async function confirm(place: Position, confirmer: string, tenant: string | undefined): Promise<boolean> {
    const since = forgotten
    asking++
    const reported = await hashBy(confirmer, place.number, tenant)
    asking--
    // One of two that differ is false, and may be the one that was asked.
    if (reported !== place.hash || since !== forgotten) return false
    if (hashes.size >= mostHashes) hashes.delete(hashes.keys().next().value!)
    hashes.set(place.number, reported)
    return true
  }

  /** Whether a question was answered before; notes it where not. */
  function isSecond(key: string): boolean {
    const short = shortHash(key)
    if (once.delete(short)) return true
    if (once.size >= mostQuestions) once.delete(once.values().next().value!)
    once.add(short)
    return false
  }

  return {
    judge({ life, key }, { result, meta }, request, tenant) {
      if (life.of !== 'answer') return undefined
      const place = cache.positionOf(request, result)
      if (place === undefined || place.number > (chain.finalized?.height ?? -1)) return undefined
      if (chain.hashAt(place.number) !== undefined) return undefined
      const confirmer = findConfirmer(meta?.endpoint, groups)
      if (confirmer === absent) return undefined
      const known = hashes.get(place.number)
      if (known !== undefined) return Promise.resolve(known === place.hash)
      if (confirmer === undefined || asking >= mostAsked || !isSecond(key)) return Promise.resolve(false)
      return confirm(place, confirmer, tenant)
    },
    forget() {
      forgotten++
      hashes.clear()
    },
  }
}

/** Returns a number of 32 bits for a text, by FNV-1a. Two texts of one number only have a block looked up earlier. */
function shortHash(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
