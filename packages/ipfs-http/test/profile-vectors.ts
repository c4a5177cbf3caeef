import { readFileSync } from 'node:fs'

/** Content, and the CID that Kubo gives it with a profile. */
export interface ProfileVector {
  readonly name: string
  readonly profile: 'unixfs-v0-2015' | 'unixfs-v1-2025'
  /** Options beside those of the profile. */
  readonly query: Readonly<Record<string, string>>
  readonly zeros?: number
  readonly directory?: { readonly path: string; readonly count: number; readonly longer: number }
  readonly cid: string
  readonly size: string
}

/** The vectors of Kubo; the file says where they are from. */
export const profileVectors = (
  JSON.parse(readFileSync(new URL('vectors/unixfs-profiles.json', import.meta.url), 'utf8')) as {
    readonly cases: readonly ProfileVector[]
  }
).cases

/** The files of a vector. */
export function filesOf({
  zeros = 0,
  directory,
}: ProfileVector): readonly { readonly path: string; readonly content: Uint8Array }[] {
  if (directory === undefined) return [{ path: 'file', content: new Uint8Array(zeros) }]
  const { path, count, longer } = directory
  return Array.from({ length: count }, (_, at) => {
    return { path: `${path}/${`${at}`.padStart(at < longer ? 51 : 50, '-')}`, content: new Uint8Array(0) }
  })
}
