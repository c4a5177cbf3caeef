import type { JSX } from 'preact'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { SentForm } from '../parts/sent-form.tsx'
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
  const form = useForm({ reason: '' }, [])
  async function cordon(): Promise<void> {
    await onCordon(form.values.reason.trim() || 'no reason was given')
    onClose()
  }
  return (
    <Dialog title={`Cordon ${upstream} of ${network}`} onClose={onClose}>
      <SentForm form={form} action="Cordon" onCancel={onClose} onSend={cordon}>
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
          value={form.values.reason}
          onChange={(text) => form.set('reason', text.slice(0, 200))}
        />
      </SentForm>
    </Dialog>
  )
}
