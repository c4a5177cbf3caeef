import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { CachedQuestion } from '@wayleave/rpc-cache'
import type { Position } from '@wayleave/upstream'
import type { NetworkKind } from './network-kind.ts'

type Name = Pick<CachedQuestion, 'key' | 'life'>

export interface PinnedQuestionsOptions {
  readonly nameAt: (block: Position) => Name
  readonly pin: NonNullable<NetworkKind['pin']>
  /** Returns a call with the latest block in the place of its own. Default: it names that. */
  readonly atLatest?: (request: RpcRequest) => RpcRequest
}

/**
 * Makes the function that asks one question at blocks that are chosen for it. It remembers the last name: most calls of a time ask at the same
 * block.
 */
export function pinnedQuestions(
  options: PinnedQuestionsOptions,
): (request: RpcRequest, block: Position) => CachedQuestion {
  let hash: string | undefined
  let name: Name | undefined
  return (request, block) => {
    if (name === undefined || hash !== block.hash) {
      name = options.nameAt(block)
      ;({ hash } = block)
    }
    return new PinnedQuestion(name, options, request, block)
  }
}

/** A question at a block, whose request is printed only if a node is asked. */
class PinnedQuestion implements CachedQuestion {
  readonly key: string
  readonly life: CachedQuestion['life']
  readonly #options: PinnedQuestionsOptions
  readonly #request: RpcRequest
  readonly #block: Position

  constructor({ key, life }: Name, options: PinnedQuestionsOptions, request: RpcRequest, block: Position) {
    this.key = key
    this.life = life
    this.#options = options
    this.#request = request
    this.#block = block
  }

  get ask(): RpcRequest | undefined {
    const { pin, atLatest } = this.#options
    const pinned = pin(atLatest === undefined ? this.#request : atLatest(this.#request), this.#block)
    return 'method' in pinned ? pinned : undefined
  }
}
