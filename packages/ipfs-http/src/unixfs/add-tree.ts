import { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import type { BlockWriter } from './add-blocks.ts'
import { writeDirectory } from './add-directory.ts'
import type { Link, Metadata } from './add-unixfs.ts'
import { compareUtf8 } from '../compare-utf8.ts'
import type { TreeShape } from './profile.ts'

/** Most entries of an upload, with the directories that names imply. They stay in memory until its directories are written. */
const mostEntries = 2_000_000
/** Most segments of a path. */
const mostDepth = 512

/** A directory of an upload. */
export interface Tree {
  readonly children: Map<string, Tree | Link>
  metadata: Metadata
}

/** The entries of an upload by their paths. */
export interface Upload {
  readonly top: Tree
  /** Adds a file or symlink. `path` has `/` between its segments. @throws IpfsError `bad_argument`, `too_large` */
  put(path: string, link: Link): void
  /** Makes a directory, or sets the metadata of an existing one. '' is the top. @throws IpfsError `bad_argument`, `too_large` */
  makeDirectory(path: string, metadata: Metadata): void
}

/** Makes an upload without entries. */
export function createUpload(): Upload {
  const top: Tree = { children: new Map(), metadata: {} }
  let entries = 0
  const count = (): void => {
    if (++entries > mostEntries)
      throw new IpfsError('too_large', `expected at most ${mostEntries} entries in one upload`)
  }
  const directory = (path: string, segments: readonly string[]): Tree => {
    if (segments.length > mostDepth)
      throw new IpfsError('too_large', `expected at most ${mostDepth} segments in ${path}`)
    let tree = top
    for (const segment of segments) {
      let child = tree.children.get(segment)
      if (child === undefined) {
        count()
        child = { children: new Map(), metadata: {} }
        tree.children.set(segment, child)
      }
      if (!isTree(child)) throw twice(path)
      tree = child
    }
    return tree
  }
  return {
    top,
    put(path, link) {
      const segments = path.split('/')
      const name = segments.pop()!
      const { children } = directory(path, segments)
      const before = children.get(name)
      if (before === undefined) count()
      else if (isTree(before) || !before.cid.equals(link.cid)) throw twice(path)
      children.set(name, packLink(link))
    },
    makeDirectory(path, metadata) {
      directory(path, path === '' ? [] : path.split('/')).metadata = metadata
    },
  }
}

/** Copies a link into one that takes little memory. */
export function packLink(link: Link): Link {
  return new PackedLink(link)
}

/**
 * A link that takes little memory, since a million may wait here: its CID is text of a character a byte, and is parsed when it is read. A
 * parsed one is a KB of objects.
 */
class PackedLink implements Link {
  readonly size: number
  readonly diskBytes: number
  readonly fileSize: number
  readonly #cid: string

  constructor({ cid, size, diskBytes, fileSize }: Link) {
    this.#cid = String.fromCharCode(...cid.bytes)
    this.size = size
    this.diskBytes = diskBytes
    this.fileSize = fileSize
  }

  get cid(): CID {
    return CID.decode(Uint8Array.from(this.#cid, (character) => character.charCodeAt(0)))
  }
}

export interface WrittenDirectory {
  readonly path: string
  readonly link: Link
  readonly metadata: Metadata
}

/**
 * Writes a directory and everything below it, parents after their children. Returns its own link. Links take the place of written directories.
 */
export async function* writeTree(
  path: string,
  { children, metadata }: Tree,
  shape: TreeShape,
  blocks: BlockWriter,
): AsyncGenerator<WrittenDirectory, Link> {
  const directories: string[] = []
  for (const [name, child] of children) if (isTree(child)) directories.push(name)
  // In the order of Kubo, by the bytes of their names.
  for (const name of directories.toSorted(compareUtf8)) {
    const below = path === '' ? name : `${path}/${name}`
    const child = children.get(name) as Tree
    if (child.children.size === 0 && !shape.emptyDirs) {
      children.delete(name)
      continue
    }
    const written = yield* writeTree(below, child, shape, blocks)
    children.set(name, packLink(written))
  }
  const link = await writeDirectory(children as ReadonlyMap<string, Link>, metadata, shape, blocks)
  yield { path, link, metadata }
  return link
}

/** Whether an entry is a directory. */
export function isTree(entry: Tree | Link): entry is Tree {
  return 'children' in entry
}

function twice(path: string): IpfsError {
  return new IpfsError('bad_argument', `directory already has entry by that name: ${path}`)
}
