import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { browser } from '../../defaults.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { bytes } from '../../text/format.ts'
import { type DirectoryEntry, listDirectory, readFile, readStart } from './kubo.ts'

const shownBytes = 65_536
/** How long the address of a download stays, in ms: the browser reads it at once. */
const downloadMs = 60_000

/** Shows what lies at a path: a directory as a list, a text as text; all else to download. */
export function OpenDialog(props: {
  readonly project: string
  /** A CID, or a path below one. */
  readonly path: string
  readonly onOpen: (path: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const { project, path, onOpen, onClose } = props
  const gone = useRef(new AbortController())
  const { value, error, reload } = useLoad(
    async (signal) => {
      const entries = await listDirectory(project, path, signal)
      return { entries, start: entries === undefined ? await readStart(project, path, shownBytes, signal) : undefined }
    },
    [project, path],
  )
  useEffect(() => () => gone.current.abort(), [])

  async function download(): Promise<void> {
    const blob = await readFile(project, path, gone.current.signal)
    const url = URL.createObjectURL(blob)
    const link = document.createElement('a')
    link.href = url
    link.download = path.split('/').at(-1)!
    link.click()
    browser.after(downloadMs, () => URL.revokeObjectURL(url))
  }

  return (
    <Dialog title="Content" onClose={onClose} isWide>
      <p class="row">
        <code class="break grow">
          <Text of={path} />
        </code>
        <CopyButton text={path} what="the path" />
      </p>
      {error !== undefined && <Failure what="This content" error={error} onRetry={reload} />}
      {value === undefined ? (
        error === undefined && <Skeleton rows={4} />
      ) : value.entries !== undefined ? (
        <Directory entries={value.entries} onOpen={(name) => onOpen(`${path}/${name}`)} />
      ) : (
        <Content start={value.start!} />
      )}
      <div class="form-foot">
        {path.includes('/') && <Button onClick={() => onOpen(path.slice(0, path.lastIndexOf('/')))}>Up</Button>}
        {value?.start !== undefined && <Button onClick={download}>Download</Button>}
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

function Directory({
  entries,
  onOpen,
}: {
  readonly entries: readonly DirectoryEntry[]
  readonly onOpen: (name: string) => void
}): JSX.Element {
  if (entries.length === 0) return <Empty title="This directory is empty" />
  return (
    <PagedTable
      what="entries"
      caption="Entries of this directory"
      isSmall
      rows={entries}
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Name',
          render: ({ name, isDirectory }) => (
            <button type="button" class="link" onClick={() => onOpen(name)}>
              <Text of={name} />
              {isDirectory && '/'}
            </button>
          ),
        },
        { name: 'Size', isNumber: true, render: ({ size, isDirectory }) => (isDirectory ? '–' : bytes(size)) },
      ]}
    />
  )
}

function Content({ start }: { readonly start: Uint8Array }): JSX.Element {
  const text = textOf(start)
  if (start.length === 0) return <Empty title="This file is empty" />
  if (text === undefined) return <Empty title="This is no text">Download it to look at it.</Empty>
  return (
    <>
      <pre class="code tall" tabIndex={0} aria-label="The content">
        {text}
      </pre>
      {start.length >= shownBytes && <p class="muted small">Only the first {bytes(shownBytes)} are shown.</p>}
    </>
  )
}

/** Reads UTF-8; undefined for other bytes. A character that the end cuts is left out. */
function textOf(start: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    // oxlint-disable-next-line no-control-regex -- They tell that it is no text.
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
