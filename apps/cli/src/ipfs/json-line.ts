import { visible } from '../output/visible.ts'

/** Prints a value as a line of JSON, in which a host's texts cannot steer a terminal. */
export function jsonLine(value: unknown): string {
  return `${visible(JSON.stringify(value))}\n`
}
