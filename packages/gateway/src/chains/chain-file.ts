import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, type NetworkConfig, readBounded } from '@wayleave/network/config'
import { chainKinds, isKindName } from '@wayleave/network'
import { ConfigError } from '../config/check.ts'

/** The chain of a network, as its nodes told it once. */
export interface ChainPin {
  readonly kind: NetworkConfig['kind']
  readonly chainId: number | string
}

/** Pins by slug. */
export type ChainPins = ReadonlyMap<string, ChainPin>

const fileName = 'chains.json'

/** Reads the pins of a data folder; none where there is no file. @throws ConfigError for a file that this package did not write */
export async function readChainPins(dataDir: string): Promise<ChainPins> {
  const read = await readBounded(join(dataDir, fileName))
  if ('fault' in read) {
    if (read.fault === 'ENOENT') return new Map()
    throw unusable(read.fault)
  }
  const value = parsed(read.bytes.toString('utf8'))
  if (!isObject(value) || !Object.values(value).every(isPin)) throw unusable('another content')
  return new Map(Object.entries(value as Record<string, ChainPin>))
}

/** Replaces the pins of a data folder, which is created if missing. A crash leaves the old ones or the new ones. */
export async function writeChainPins(dataDir: string, pins: ChainPins): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const path = join(dataDir, fileName)
  await writeFile(`${path}.new`, `${JSON.stringify(Object.fromEntries(pins), undefined, 2)}\n`)
  await rename(`${path}.new`, path)
}

function isPin(value: unknown): value is ChainPin {
  if (!isObject(value)) return false
  const { kind, chainId } = value
  return isKindName(kind) && chainKinds[kind].isChainId(chainId)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unusable(got: string): ConfigError {
  const expected = `${fileName} in it as the gateway wrote it, or no such file: then nodes are asked for their chains again`
  return new ConfigError([{ path: 'dataDir', expected, got }])
}
