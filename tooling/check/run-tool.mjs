import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'

/** Runs a program. Resolves with nothing (`[]`) if it exits with 0, and else with what it printed. */
export async function runTool(command, args) {
  const { code, output } = await execute(command, args)
  return code === 0 ? [] : [output.trim() || `${command} ended with ${code}`]
}

/** Runs a program and resolves with its exit code and all that it printed, on both outputs in turn. */
export function execute(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on('close', (code, signal) => resolve({ code: code ?? signal, output: stripVTControlCharacters(output) }))
  })
}
