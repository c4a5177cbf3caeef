import { createHash, createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from './ask-node.ts'

/** A node as its consensus client sees it. */
export interface EngineNode {
  readonly name: string
  readonly engineUrl: string
}

export interface BuilderOptions {
  readonly nodes: readonly EngineNode[]
  /** The secret that both sides know, 32 bytes. */
  readonly secret: Uint8Array
  readonly blockMs: number
  /** The height up to which blocks follow each other at once. */
  readonly quickUntil: number
  readonly onBlock: (height: number) => void
  readonly signal: AbortSignal
}

interface Payload {
  readonly executionPayload: { readonly blockHash: string; readonly parentHash: string; readonly blockNumber: string }
  readonly blobsBundle: { readonly commitments: readonly string[] }
  readonly executionRequests: readonly string[]
}

interface Head {
  readonly hash: string
  readonly timestamp: string
}

/** Time for which transactions may enter a block that is being built, in ms; and for one that nobody waits for. */
const buildMs = 300
const quickBuildMs = 10
/** A node that did not answer is not waited for again until this time has passed, in ms. */
const shunMs = 2_000
/** Blocks that are told again to a node that lacks them: the only other one that had them may be gone. */
const mostKept = 1_024

/**
 * Stands for the beacon chain: has a block built by each node in turn, and tells it to all (engine API of Prague). A node that does not
 * answer is left out; the chain goes on with the others.
 */
export async function buildBlocks(options: BuilderOptions): Promise<void> {
  const { nodes, secret, blockMs, quickUntil, onBlock, signal } = options
  const shunnedUntil = new Map<EngineNode, number>()
  let head: Head | undefined
  let height = 0
  let turn = 0
  /** The params of `engine_newPayloadV4` of the last blocks, by height. */
  const reported = new Map<number, readonly unknown[]>()

  const ask = engineOf(secret)

  /** Tells a node the blocks above its own head, oldest first. */
  async function catchUp(node: EngineNode): Promise<void> {
    const { number } = await ask<{ readonly number: string }>(node, 'eth_getBlockByNumber', 'latest', false)
    for (const [at, payload] of reported) {
      if (at <= Number(number)) continue
      const { status } = await ask<{ readonly status: string }>(node, 'engine_newPayloadV4', ...payload)
      // Its peer has to give it what is missing below.
      if (status !== 'VALID') return
    }
  }

  async function build(node: EngineNode): Promise<void> {
    const parent: Head = head ?? (await ask<Head>(node, 'eth_getBlockByNumber', 'latest', false))
    const now = Math.floor(Date.now() / 1_000)
    const next = Number(parent.timestamp) + 1
    const timestamp = height < quickUntil ? next : Math.max(next, now)
    const waitMs = height < quickUntil ? quickBuildMs : Math.min(buildMs, blockMs / 3)
    const built = await buildBlock(ask, node, { parent, timestamp, waitMs })
    if (built === undefined) {
      await catchUp(node)
      throw new Error('it builds nothing on this head')
    }
    const { params, blockHash, parentHash, blockNumber } = built
    reported.set(Number(blockNumber), params)
    reported.delete(Number(blockNumber) - mostKept)
    await Promise.all(
      nodes.map(async (each) => {
        if ((shunnedUntil.get(each) ?? 0) > performance.now()) return
        try {
          const { status } = await ask<{ readonly status: string }>(each, 'engine_newPayloadV4', ...params)
          if (status !== 'VALID') await catchUp(each)
          const choice = { headBlockHash: blockHash, safeBlockHash: parentHash, finalizedBlockHash: parentHash }
          await ask(each, 'engine_forkchoiceUpdatedV3', choice, null)
        } catch {
          shunnedUntil.set(each, performance.now() + shunMs)
        }
      }),
    )
    head = { hash: blockHash, timestamp: `0x${timestamp.toString(16)}` }
    height = Number(blockNumber)
    onBlock(height)
  }

  while (!signal.aborted) {
    const began = performance.now()
    turn++
    for (let i = 0; i < nodes.length && !signal.aborted; i++) {
      const node = nodes[(turn + i) % nodes.length]!
      if ((shunnedUntil.get(node) ?? 0) > performance.now()) continue
      try {
        await build(node)
        break
      } catch {
        shunnedUntil.set(node, performance.now() + shunMs)
      }
    }
    if (height > 0 && height < quickUntil) continue
    await sleep(Math.max(50, blockMs - (performance.now() - began)), undefined, { signal }).catch(() => {})
  }
}

/** Asks a node by its engine API. */
export type EngineAsk = <T>(node: EngineNode, method: string, ...params: unknown[]) => Promise<T>

export function engineOf(secret: Uint8Array): EngineAsk {
  return (node, method, ...params) =>
    askNode(node.engineUrl, method, params, { headers: { authorization: `Bearer ${tokenOf(secret)}` } })
}

interface BuiltBlock {
  /** The params of `engine_newPayloadV4`. */
  readonly params: readonly unknown[]
  readonly blockHash: string
  readonly parentHash: string
  readonly blockNumber: string
}

/** Has a node build a block; undefined: it builds none on this parent. `waitMs`: for which transactions may enter. */
export async function buildBlock(
  ask: EngineAsk,
  node: EngineNode,
  {
    parent,
    finalized = parent.hash,
    timestamp,
    waitMs,
  }: { readonly parent: Head; readonly finalized?: string; readonly timestamp: number; readonly waitMs: number },
): Promise<BuiltBlock | undefined> {
  const beaconRoot = hex(randomBytes(32))
  const { payloadId } = await ask<{ payloadId: string | null }>(
    node,
    'engine_forkchoiceUpdatedV3',
    { headBlockHash: parent.hash, safeBlockHash: finalized, finalizedBlockHash: finalized },
    {
      timestamp: `0x${timestamp.toString(16)}`,
      prevRandao: hex(randomBytes(32)),
      suggestedFeeRecipient: `0x${'0'.repeat(38)}fe`,
      withdrawals: [],
      parentBeaconBlockRoot: beaconRoot,
    },
  )
  if (payloadId === null) return undefined
  await sleep(waitMs)
  const { executionPayload, blobsBundle, executionRequests } = await ask<Payload>(
    node,
    'engine_getPayloadV4',
    payloadId,
  )
  const { blockHash, parentHash, blockNumber } = executionPayload
  const params = [executionPayload, blobsBundle.commitments.map(versionedHash), beaconRoot, executionRequests]
  return { params, blockHash, parentHash, blockNumber }
}

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

/** The hash by which a transaction names a blob (EIP-4844). */
function versionedHash(commitment: string): string {
  const hash = createHash('sha256')
    .update(Buffer.from(commitment.slice(2), 'hex'))
    .digest()
  hash[0] = 1
  return hex(hash)
}

/** A token of the engine API: a JWT whose only claim is its time. */
function tokenOf(secret: Uint8Array): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: Math.floor(Date.now() / 1_000) })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
