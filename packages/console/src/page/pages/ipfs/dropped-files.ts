import type { FileToAdd } from './kubo.ts'

/** Files to add as one: a file, or a folder with all that it holds. */
export interface Dropped {
  readonly name: string
  readonly files: readonly FileToAdd[]
}

const mostFiles = 5_000

/** Reads what was dropped, folders with all files below them. @throws Error for a folder with too many files */
export async function readDropped(transfer: DataTransfer): Promise<readonly Dropped[]> {
  // The items are gone after the first pause.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return [...transfer.files].map(fileAlone)
  return Promise.all(
    entries.map(async (entry) => {
      const files = await readEntry(entry, '')
      return { name: entry.name, files }
    }),
  )
}

/** Makes something to add of a file that was chosen. */
export function fileAlone(file: File): Dropped {
  return { name: file.name, files: [{ file, path: file.name }] }
}

async function readEntry(entry: FileSystemEntry, below: string): Promise<readonly FileToAdd[]> {
  const path = below + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ file, path }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: FileToAdd[] = []
  for (;;) {
    // The reader gives some entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return files
    for (const each of some) files.push(...(await readEntry(each, `${path}/`)))
    if (files.length > mostFiles) throw new Error(`a folder of more than ${mostFiles} files: use the command line`)
  }
}
