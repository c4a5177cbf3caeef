import type { Fault } from './fault.ts'
import { bodyFaults } from './faults/bodies.ts'
import { connectionFaults } from './faults/connections.ts'
import { errorFaults } from './faults/errors.ts'
import { standingFaults } from './faults/standing.ts'
import { statusFaults } from './faults/statuses.ts'

/** The table; a fault's number is its place, from 1. */
export const faults: readonly Fault[] = [
  ...statusFaults,
  ...bodyFaults,
  ...errorFaults,
  ...connectionFaults,
  ...standingFaults,
]
