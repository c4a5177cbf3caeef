import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Notice } from '../parts/notice.tsx'
import { Text } from '../parts/text.tsx'
import { useForm } from '../parts/use-form.ts'

/** Asks why an upstream is to be left alone. */
export function CordonDialog(props: {
  readonly network: string
  readonly upstream: string
  /** Whether no other upstream of its network is up. */
  readonly isLast: boolean
  readonly onClose: () => void
  /** What it rejects with is shown. */
  readonly onCordon: (reason: string) => Promise<void>
}): JSX.Element {
  const { network, upstream, isLast, onClose, onCordon } = props
  const [reason, setReason] = useState('')
  const form = useForm([])
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const text = reason.trim() === '' ? 'no reason was given' : reason.trim()
    if (await form.send(() => onCordon(text))) onClose()
  }
  return (
    <Dialog title={`Cordon ${upstream} of ${network}`} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
        <p class="muted">
          It gets no further calls; those on their way go on. This lasts until somebody uses it again, or the gateway
          restarts.
        </p>
        {isLast && (
          <div class="notice warn">
            <Icon name="warning" />
            <p class="notice-text">
              No other upstream of <Text of={network} /> is up: calls to this network will fail.
            </p>
          </div>
        )}
        <TextField
          label="Reason"
          hint="Your colleagues read it here and in /status. 200 characters at most."
          value={reason}
          onChange={(text) => setReason(text.slice(0, 200))}
        />
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Cordon
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
