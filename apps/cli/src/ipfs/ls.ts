import { UsageError, type CommandIo } from '../command.ts'
import { oneLine } from '../output/visible.ts'
import { ipfsFlags, openIpfs, readIpfsArgs, readVerify, reportUnverified, verifyFlag } from './flags.ts'
import { jsonLine } from './json-line.ts'
import { runCall } from './run-call.ts'

const flags = { ...ipfsFlags, ...verifyFlag } as const

/** Runs `wayleave ipfs ls`. Resolves with the exit code. */
export async function ls(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readIpfsArgs(args, flags)
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('expected one CID or CID/PATH')
  const verify = readVerify(values.verify)
  const client = openIpfs(values, io.env, verify)
  return runCall({ name: 'ls', io, json: values.json }, async (signal) => {
    let isReported = false
    for await (const { cid, name, verification } of client.ls(path, { signal })) {
      io.stdout(values.json ? jsonLine({ cid, name, verification }) : `${oneLine(cid)}\t${oneLine(name)}\n`)
      if (verification === 'unverified' && !isReported) {
        isReported = true
        reportUnverified(io, verification, verify)
      }
    }
  })
}
