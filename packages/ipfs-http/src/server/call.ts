import type { BackendCall, IpfsBackend } from '../backend.ts'
import type { Clock } from '../clock.ts'
import type { PinLedger } from '../pin-ledger.ts'
import type { IpfsAnswer, IpfsProject } from './api.ts'
import type { Deadline } from './deadline.ts'
import type { CommandOptions, CommandShape } from './options.ts'
import type { PartsOfCall } from './parts.ts'
import type { PinClaims } from './pin-claims.ts'
import type { PinLeases } from './pin-leases.ts'
import type { CallStorage } from './storage.ts'
import type { Transfer } from './transfer.ts'

/** The parts that all calls of a handler share. */
export interface CallServices {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly claims: PinClaims
  readonly leases: PinLeases
  readonly clock: Clock
  /** Longest wait for one step of the backend, in ms. */
  readonly timeoutMs: number
}

/** Everything a command works with. */
export interface Call extends CallServices, Deadline, Transfer {
  readonly options: CommandOptions
  readonly project: IpfsProject
  readonly storage: CallStorage
  readonly parts: PartsOfCall
  readonly contentType: string | undefined
  /** Passed to every method of the backend. */
  readonly backendCall: BackendCall
}

/** A command of the API: its options, and the work. */
export interface Command extends CommandShape {
  /** True if it stores blocks or pins. */
  readonly stores?: true
  readonly run: (call: Call) => Promise<IpfsAnswer>
}
