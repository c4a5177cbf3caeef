import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { asConsoleError } from '../api/console-error.ts'
import { visible } from '../text/visible.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Notice } from './notice.tsx'

/** Asks before something that cannot be undone; with `typed` only after that was typed. */
export function ConfirmDialog(props: {
  readonly title: string
  readonly children: ComponentChildren
  readonly action: string
  /** A text to type. */
  readonly typed?: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}): JSX.Element {
  const { title, children, action, typed, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const isRight = typed === undefined || text.trim() === typed

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (!isRight || isBusy) return
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      setFault(asConsoleError(thrown).message)
      setBusy(false)
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {children}
        {fault !== '' && <Notice kind="bad">{fault}</Notice>}
        {typed !== undefined && (
          <TextField label={`Type “${visible(typed)}” to confirm`} value={text} onChange={setText} isMono />
        )}
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            type="submit"
            isBusy={isBusy}
            reason={isRight ? undefined : 'Type the text above first'}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
