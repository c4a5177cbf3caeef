import type { CommandIo } from './command.ts'

/** Reads a variable of the environment. An empty one counts as not set, as shell scripts often leave one empty. */
export function fromEnv(env: CommandIo['env'], name: `WAYLEAVE_${string}`): string | undefined {
  return env[name] === '' ? undefined : env[name]
}
