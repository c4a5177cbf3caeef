import { type Clock, createContext, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import type { UpstreamHealth } from './upstream-health.ts'

export interface ProberOptions {
  readonly clock: Clock
  /**
   * Asks an upstream something cheap. Resolves when it answered, rejects when it did not: an answer that is no sign of health, such as
   * another chain's id, is told elsewhere.
   */
  readonly probe: (name: string, context: RpcContext) => Promise<unknown>
  /** Longest wait for an answer, in ms. Default 2,000. */
  readonly timeoutMs?: number
}

/** Probes upstreams in the background, so that no caller's call has to find out whether one is back. */
export interface Prober {
  /** Probes an upstream in `inMs`; earlier if a probe was due earlier. One that is on its way is the one. */
  schedule(health: UpstreamHealth, inMs: number): void
  /** Ends all probes. */
  close(): void
}

interface Probe {
  readonly at: number
  readonly stop: () => void
  /** Present while it is on its way. */
  readonly context?: RpcContext
}

export function createProber({ clock, probe, timeoutMs = 2_000 }: ProberOptions): Prober {
  const probes = new Map<UpstreamHealth, Probe>()
  let isClosed = false

  function run(health: UpstreamHealth): void {
    const context = createContext({ clock, timeoutMs })
    const end = (hasAnswered: boolean): void => {
      if (probes.get(health)?.context !== context) return
      probes.delete(health)
      context.release()
      health.probed(hasAnswered, clock.now())
    }
    const stop = (): void => context.cancel(new RpcError('aborted', 'the prober was closed'))
    probes.set(health, { at: clock.now(), stop, context })
    // A probe that ignores its context must not hold up the next one.
    context.onCancel(() => end(false))
    void Promise.resolve()
      .then(() => probe(health.name, context))
      .then(
        () => end(true),
        () => end(false),
      )
  }

  return {
    schedule(health, inMs) {
      const known = probes.get(health)
      const at = clock.now() + inMs
      if (isClosed || known?.context !== undefined || (known !== undefined && known.at <= at)) return
      known?.stop()
      const stop = clock.after(inMs, () => run(health))
      probes.set(health, { at, stop })
    },
    close() {
      isClosed = true
      const open = [...probes.values()]
      probes.clear()
      for (const { stop } of open) stop()
    },
  }
}
