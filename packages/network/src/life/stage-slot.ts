import type { RpcContext, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'

/** A stage that holds something for callers. */
export interface HeldStage {
  readonly stage: RpcMiddleware<RpcContext>
  close(): void
}

/** A stage in the pipeline of one network. */
export interface AttachedStage {
  readonly stage: RpcMiddleware<RpcContext>
  /** Has the calls of the stage go on through this pipeline from now on, and closes the stage that stood here before, if it is another one. */
  activate(): void
  /** Closes it, where it was never activated. */
  discard(): void
}

/** Keeps a stage while the pipeline around it is replaced, so that callers keep what it holds for them. */
export interface StageSlot {
  /** Attaches the stage that is here, if it was opened with the same identity; else a new one. */
  attach(identity: string, open: () => HeldStage): AttachedStage
  /** Closes the stage that is here. */
  close(): void
}

interface Kept extends HeldStage {
  readonly identity: string
  below: RpcHandler | undefined
  handler: RpcHandler | undefined
}

export function createStageSlot(): StageSlot {
  let present: Kept | undefined

  return {
    attach(identity, open) {
      const kept =
        present?.identity === identity ? present : { ...open(), identity, below: undefined, handler: undefined }
      let own: RpcHandler | undefined
      return {
        stage(next) {
          own = next
          kept.below ??= next
          kept.handler ??= kept.stage((request, context) => kept.below!(request, context))
          return kept.handler
        },
        activate() {
          kept.below = own
          if (present !== kept) present?.close()
          present = kept
        },
        discard() {
          if (present !== kept) kept.close()
        },
      }
    },
    close() {
      present?.close()
      present = undefined
    },
  }
}
