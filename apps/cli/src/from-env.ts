import type { CommandIo } from './command.ts'

/** A variable of the environment; one that is set to nothing counts as not set, as many a shell script leaves it so. */
export function fromEnv(env: CommandIo['env'], name: `WAYLEAVE_${string}`): string | undefined {
  return env[name] === '' ? undefined : env[name]
}
