import { resolve } from 'node:path'
import { fingerprintOf, readBounded } from '@wayleave/network/config'
import { filePathsIn, type SecretText } from './interpolate.ts'

/** The files that a configuration names as `${file:…}`. */
export interface SecretFiles {
  /** By the path that the configuration gives: the text, or why there is none, without a piece of it. */
  readonly texts: ReadonlyMap<string, SecretText>
  /** By absolute path, also of those that could not be read. */
  readonly fingerprints: ReadonlyMap<string, string>
}

/** Longest text, in bytes: more than any chain of certificates has. */
const longest = 65_536
const mostFiles = 1_000

/** Reads each file that `value` names, relative to `folder`. One line break at the end is cut off. Never rejects. */
export async function readSecretFiles(value: unknown, folder: string): Promise<SecretFiles> {
  const texts = new Map<string, SecretText>()
  const fingerprints = new Map<string, string>()
  for (const path of filePathsIn(value)) {
    if (texts.size === mostFiles) {
      texts.set(path, { expected: `at most ${mostFiles} files`, received: 'more' })
      break
    }
    const absolute = resolve(folder, path)
    const read = await readBounded(absolute)
    fingerprints.set(absolute, fingerprintOf(read))
    texts.set(path, textOf(path, read))
  }
  return { texts, fingerprints }
}

function textOf(path: string, read: Awaited<ReturnType<typeof readBounded>>): SecretText {
  const tilde = path.startsWith('~') ? ', by its whole path, as ~ is not read,' : ''
  const expected = `${path}${tilde} to be a file of 1 to ${longest} bytes that can be read`
  if ('fault' in read) return { expected, received: read.fault }
  if (read.bytes.length > longest) return { expected, received: 'a longer one' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes).replace(/\r?\n$/, '')
    // A program that writes a secret in place leaves it empty for a moment.
    return text === '' ? { expected, received: 'an empty one' } : { text }
  } catch {
    return { expected: `${path} to be text in UTF-8`, received: 'other bytes' }
  }
}
