import { AuthError } from '@wayleave/auth'
import { ConfigError, ListenError, loadConfig, startGateway } from '@wayleave/gateway'
import { readyLine, readyText } from './ready.ts'
import { type ProcessEvents, runUntilStopped } from './stop.ts'

/** The configuration of {@link runProxy}, and the parts of its process that it uses. */
export interface ProxyOptions {
  readonly configFile: string
  /** Whether to print one line for a program instead of text for a person. */
  readonly json: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly events: ProcessEvents
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

/** Serves a configuration file until a signal. Resolves with the exit code: 0 stopped, 1 failed, 2 bad configuration. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { configFile, json, env, events, stdout, stderr } = options
  try {
    const config = await loadConfig(configFile, env)
    const gateway = await startGateway(config)
    // A reader of the ready line may signal at once, so signals are handled before it is printed.
    const stopped = runUntilStopped(gateway, events)
    stdout(json ? readyLine(gateway) : readyText(gateway, configFile))
    return await stopped
  } catch (thrown) {
    if (thrown instanceof ListenError) stderr(`${thrown.message}\n`)
    else if (thrown instanceof ConfigError) stderr(`${thrown.message}\n`)
    // A key or secret that is well formed but unusable, such as a duplicate.
    else if (thrown instanceof AuthError) stderr(`${configFile}: ${thrown.message}\n`)
    // Anything else is a bug and keeps its stack.
    else throw thrown
    return thrown instanceof ListenError ? 1 : 2
  }
}
