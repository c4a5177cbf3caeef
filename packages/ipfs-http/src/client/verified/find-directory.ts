import type { CID } from 'multiformats/cid'
import type { BlockWriter } from '../../unixfs/add-blocks.ts'
import { isSharded, writeDirectory } from '../../unixfs/add-directory.ts'
import { isTree, packLink, type Tree } from '../../unixfs/add-tree.ts'
import type { Link } from '../../unixfs/add-unixfs.ts'
import type { DirectoryShape } from '../../unixfs/profile.ts'

/** Finds the DAG that a host has built of the directory at a path; undefined if it is none of them. */
type FindDirectory = (path: string, isSame: (cid: CID) => boolean) => Promise<Link | undefined>

/**
 * Finds directories in the form that a host gave them, one block or shards: hosts differ in the size above which they shard and in its
 * estimate, and no option of a call sets them. A directory holds its members as they were found before it, else in their usual form.
 */
export function directoryFinder(top: Tree, shape: DirectoryShape, blocks: BlockWriter): FindDirectory {
  const found = new Map<Tree, Link>()

  async function linksOf({ children }: Tree): Promise<ReadonlyMap<string, Link>> {
    const links = new Map<string, Link>()
    for (const [name, child] of children) links.set(name, isTree(child) ? await linkOf(child) : child)
    return links
  }

  async function linkOf(tree: Tree): Promise<Link> {
    const link = found.get(tree) ?? packLink(await writeDirectory(await linksOf(tree), tree.metadata, shape, blocks))
    found.set(tree, link)
    return link
  }

  return async (path, isSame) => {
    const tree = treeAt(top, path)
    if (tree === undefined) return undefined
    const usual = await linkOf(tree)
    if (isSame(usual.cid)) return usual
    const links = await linksOf(tree)
    const asShards = !isSharded(links, tree.metadata, shape)
    const link = await writeDirectory(links, tree.metadata, shape, blocks, asShards)
    if (!isSame(link.cid)) return undefined
    found.set(tree, packLink(link))
    return link
  }
}

function treeAt(top: Tree, path: string): Tree | undefined {
  let tree = top
  for (const name of path === '' ? [] : path.split('/')) {
    const child = tree.children.get(name)
    if (child === undefined || !isTree(child)) return undefined
    tree = child
  }
  return tree
}
