import { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import type { BlockWriter } from './add-blocks.ts'
import { writeDirectory } from './add-directory.ts'
import type { Link, Metadata } from './add-unixfs.ts'
import { compareBytes } from '../compare-bytes.ts'

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
      children.set(name, packed(link))
    },
    makeDirectory(path, metadata) {
      directory(path, path === '' ? [] : path.split('/')).metadata = metadata
    },
  }
}

/** Makes a link whose CID is parsed when it is read: a parsed one is a KB of objects, and a million may wait here. */
function packed({ cid, size, diskBytes, fileSize }: Link): Link {
  const bytes = cid.bytes.slice()
  return {
    get cid() {
      return CID.decode(bytes)
    },
    size,
    diskBytes,
    fileSize,
  }
}

/** A directory that was written. */
export interface WrittenDirectory {
  readonly path: string
  readonly link: Link
  readonly metadata: Metadata
}

/** Writes a directory and everything below it, parents after their children. Returns its own link. */
export async function* writeTree(
  path: string,
  tree: Tree,
  shardThreshold: number,
  blocks: BlockWriter,
): AsyncGenerator<WrittenDirectory, Link> {
  const links = new Map<string, Link>()
  const utf8 = new TextEncoder()
  const children = Array.from(tree.children, ([name, child]) => ({ name, child, bytes: utf8.encode(name) }))
  // In the order of Kubo, by the bytes of their names.
  for (const { name, child } of children.toSorted((a, b) => compareBytes(a.bytes, b.bytes))) {
    const below = path === '' ? name : `${path}/${name}`
    links.set(name, isTree(child) ? yield* writeTree(below, child, shardThreshold, blocks) : child)
  }
  const link = await writeDirectory(links, tree.metadata, shardThreshold, blocks)
  yield { path, link, metadata: tree.metadata }
  return link
}

/** Whether an entry is a directory. */
export function isTree(entry: Tree | Link): entry is Tree {
  return 'children' in entry
}

function twice(path: string): IpfsError {
  return new IpfsError('bad_argument', `expected each path of an upload once, came ${path} again with other content`)
}
