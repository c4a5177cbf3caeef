import { spawn } from 'node:child_process'

/** What a run of Kubo's command line against a host printed, and how it ended. */
export async function runKubo(program: string, args: readonly string[], input?: string): Promise<string> {
  const child = spawn(program, args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let printed = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  child.on('error', reject)
  child.on('close', (status) => resolve(status === 0 ? printed : `${printed}ended with ${status}`))
  child.stdin?.end(input)
  return promise
}
