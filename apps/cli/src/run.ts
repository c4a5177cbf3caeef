import { shortNamed } from './call/short-names.ts'
import type { CommandIo } from './command.ts'
import { commands } from './commands.ts'
import { visible } from './output/visible.ts'
import { ownVersion } from './own-version.ts'
import { rootHelp } from './root-help.ts'
import { asksFor, helpOf } from './asked.ts'

/** Finds the command that `args` name, runs it, and reports wrong use. Resolves with the exit code; rejects only for a bug. */
export async function run([name, ...rest]: readonly string[], io: CommandIo): Promise<number> {
  if (name === undefined) {
    io.stderr(rootHelp(commands))
    return 2
  }
  if (name === 'help' && rest[0] !== undefined) return run([...rest, '--help'], io)
  if (name === 'help' || name === '--help' || name === '-h') {
    io.stdout(rootHelp(commands))
    return 0
  }
  if (name === 'version' || name === '--version' || name === '-v') {
    const version = ownVersion()
    io.stdout(`${rest.includes('--json') ? JSON.stringify({ version }) : version}\n`)
    return 0
  }
  return shortNamed(name) === undefined ? runNamed(name, rest, io) : runNamed('eth', [name, ...rest], io, name)
}

/** Runs a command, which its user called `called`. */
async function runNamed(
  name: string,
  rest: readonly string[],
  given: CommandIo,
  called: string = name,
): Promise<number> {
  const io = asksFor(rest, '--json') && given.process.stdout.isTTY ? withVisibleJson(given) : given
  const listed = commands.find((candidate) => candidate.name === name)
  if (listed === undefined) return (await import('./refuse.ts')).refuseUnknown(name, rest, io)
  const command = await listed.load()
  try {
    if (asksFor(rest, '--help') || asksFor(rest, '-h')) {
      io.stdout(helpOf(command, rest))
      return 0
    }
    return await command.run(rest, io)
  } catch (thrown) {
    // The code of refusals loads when there is one.
    return (await import('./refuse.ts')).refuse(thrown, {
      io,
      args: rest,
      name: called,
      command,
      isShort: called !== name,
    })
  }
}

/** Escapes JSON for a terminal, where a peer's text must not steer it; it stays the same JSON. */
function withVisibleJson(io: CommandIo): CommandIo {
  return { ...io, stdout: (text) => io.stdout(visible(text)) }
}
