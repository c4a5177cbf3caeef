import type { Clock } from '@wayleave/jsonrpc-core'
import type { ByteBudget, OpenTls } from '@wayleave/http-server'
import type { Log } from '@wayleave/telemetry'
import type { Admission } from './admission.ts'
import type { Limits } from './config/limits.ts'
import type { Metering } from './metering/metering.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Sessions } from './sessions.ts'
import type { Timeouts } from './config/timeouts.ts'
import type { CallRecorder } from './trace/recorder.ts'
import type { Tracer } from './trace/tracer.ts'

/** The parts of the gateway that every listener is made with. */
export interface ListenerOptions {
  readonly admission: Admission
  readonly sessions: Sessions
  readonly metering: Metering
  readonly limits: Limits
  readonly timeouts: Timeouts
  /** Whether long results leave compressed for callers who take that. */
  readonly compression: { readonly isOn: boolean }
  /** The bytes that callers of JSON-RPC make the process hold. */
  readonly budget: ByteBudget
  readonly tls: OpenTls | undefined
  readonly clock: Clock
  /** Calls back in the next turn of the event loop, after what has come in meanwhile. */
  readonly nextTurn: (run: () => void) => void
  readonly newTraceId: () => string
  readonly recorder: CallRecorder
  readonly tracer: Tracer
  readonly log: Log
  readonly metrics: Metrics
}
