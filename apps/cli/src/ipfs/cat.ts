import { once } from 'node:events'
import { type CommandIo, UsageError } from '../command.ts'
import { ipfsFlags, openIpfs, readIpfsArgs, readVerify, reportUnverified, verifyFlag } from './flags.ts'
import { runCall } from './run-call.ts'

const flags = { ...ipfsFlags, ...verifyFlag, offset: { type: 'string' }, length: { type: 'string' } } as const

/** Runs `wayleave ipfs cat`. Resolves with the exit code. */
export async function cat(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readIpfsArgs(args, flags)
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('expected one CID or CID/PATH')
  const verify = readVerify(values.verify)
  const offset = readCount('--offset', values.offset)
  const length = readCount('--length', values.length)
  const client = openIpfs(values, io.env, verify)
  return runCall({ name: 'cat', io, json: values.json, writesContent: true }, async (signal) => {
    const bytes = client.cat(path, { signal, offset, length })
    const { stdout } = io.process
    // Waits for a slow reader; a reader that leaves ends the call.
    for await (const chunk of bytes) if (!stdout.write(chunk)) await once(stdout, 'drain', { signal })
    reportUnverified(io, await bytes.verification, verify)
  })
}

/** Reads a count of bytes; undefined if none is given. @throws UsageError */
function readCount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${flag}: expected a whole number of bytes, got "${text}"`)
  return Number(text)
}
