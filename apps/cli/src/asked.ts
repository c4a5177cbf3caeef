import type { Command } from './command.ts'

/** Returns the help of a command for its arguments. */
export function helpOf({ help }: Command, args: readonly string[]): string {
  return typeof help === 'string' ? help : help(args)
}

/** Looks for a flag before `--`: a file behind it may be called `-h`. */
export function asksFor(args: readonly string[], flag: string): boolean {
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return flags.includes(flag)
}
