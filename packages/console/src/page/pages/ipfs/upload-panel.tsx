import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asConsoleError } from '../../api/console-error.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Text } from '../../parts/text.tsx'
import { reportFailure } from '../../parts/toast.tsx'
import { bytes } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { type Dropped, fileAlone, readDropped } from './dropped-files.ts'
import { addFiles } from './kubo.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly part: number
  readonly cid?: string
  readonly fault?: string
  readonly cancel: () => void
}

const mostAtOnce = 2
/** The most rows that have ended. */
const mostEnded = 20

/** Takes files that are dropped or chosen, and tells how far they are. */
export function UploadPanel(props: {
  readonly project: string
  readonly reason: string | undefined
  readonly onAdded: () => void
}): JSX.Element {
  const { project, reason, onAdded } = props
  const [isOver, setOver] = useState(false)
  const [rows, setRows] = useState<readonly Row[]>([])
  const input = useRef<HTMLInputElement>(null)
  const queue = useRef<{ readonly waiting: (() => Promise<void>)[]; running: number; last: number }>({
    waiting: [],
    running: 0,
    last: 0,
  })
  const latest = useRef<readonly Row[]>(rows)
  latest.current = rows

  useEffect(
    () => () => {
      queue.current.waiting.length = 0
      for (const row of latest.current) if (isOpen(row)) row.cancel()
    },
    [],
  )

  const change = (id: number, more: Partial<Row>): void =>
    setRows((before) => shownOf(before.map((row) => (row.id === id ? { ...row, ...more } : row))))

  function take(all: readonly Dropped[]): void {
    for (const { name, files } of all) {
      if (files.length === 0) continue
      const id = ++queue.current.last
      let isCancelled = false
      const size = files.reduce((sum, { file }) => sum + file.size, 0)
      const row: Row = {
        id,
        name,
        size,
        part: 0,
        cancel() {
          isCancelled = true
          change(id, { fault: 'Cancelled.' })
        },
      }
      setRows((before) => shownOf([row, ...before]))
      queue.current.waiting.push(async () => {
        if (isCancelled) return
        const upload = addFiles(project, name, files, (part) => change(id, { part }))
        change(id, { cancel: upload.cancel })
        try {
          change(id, { cid: await upload.done, part: 1 })
          onAdded()
        } catch (thrown) {
          change(id, { fault: asConsoleError(thrown).message })
        }
      })
    }
    run()
  }

  function run(): void {
    const { current } = queue
    while (current.running < mostAtOnce) {
      const next = current.waiting.shift()
      if (next === undefined) return
      current.running++
      void next().finally(() => {
        current.running--
        run()
      })
    }
  }

  async function dropped(event: DragEvent): Promise<void> {
    event.preventDefault()
    setOver(false)
    if (reason !== undefined || event.dataTransfer === null) return
    try {
      take(await readDropped(event.dataTransfer))
    } catch (thrown) {
      reportFailure('That could not be read', thrown)
    }
  }

  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
      aria-label="Add files"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(reason === undefined)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void dropped(event)}
    >
      <p class="drop-text">
        <span class="muted">Drop files or folders here to add and pin them, or</span>
        <Button reason={reason} onClick={() => input.current!.click()}>
          Choose files
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-hidden="true"
          tabIndex={-1}
          onChange={({ currentTarget }) => {
            take([...(currentTarget.files ?? [])].map(fileAlone))
            currentTarget.value = ''
          }}
        />
      </p>
      {rows.length > 0 && (
        <ul class="uploads" aria-label="Uploads">
          {rows.map((row) => (
            <UploadRow key={row.id} {...row} />
          ))}
        </ul>
      )}
    </section>
  )
}

function isOpen({ cid, fault }: Row): boolean {
  return cid === undefined && fault === undefined
}

/** Leaves out the oldest of those that have ended. */
function shownOf(rows: readonly Row[]): readonly Row[] {
  let ended = 0
  return rows.filter((row) => isOpen(row) || ++ended <= mostEnded)
}

function UploadRow(row: Row): JSX.Element {
  const { name, size, part, cid, fault, cancel } = row
  return (
    <li class="upload">
      <span class="clip">
        <Text of={name} />
      </span>
      <span class="muted">{bytes(size)}</span>
      {isOpen(row) && (
        <>
          <progress max={1} value={part} aria-label={`Upload of ${visible(name)}`} />
          <span class="muted number">{part < 1 ? `${Math.floor(part * 100)} %` : 'storing'}</span>
          <button type="button" class="link" onClick={cancel}>
            Cancel<span class="unseen"> the upload of {visible(name)}</span>
          </button>
        </>
      )}
      {fault !== undefined && (
        <span class="bad-text break" role="alert">
          <Text of={fault} />
        </span>
      )}
      {cid !== undefined && (
        <span class="row upload-done">
          <span class="ok-text">pinned</span>
          <code class="clip">{cid}</code>
          <CopyButton text={cid} what="the CID" />
        </span>
      )}
    </li>
  )
}
