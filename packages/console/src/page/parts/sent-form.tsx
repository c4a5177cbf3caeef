import type { ComponentChildren, JSX } from 'preact'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import type { Form } from './use-form.ts'

/** A form with the button that sends it, and in a dialog with one that gives up. */
export function SentForm(props: {
  readonly form: Pick<Form<never>, 'fault' | 'isBusy' | 'send'>
  readonly action: string
  /** Why it cannot be sent now. */
  readonly reason?: string | undefined
  readonly onSend: () => Promise<unknown>
  readonly onCancel?: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  const { form, action, reason, onSend, onCancel, children } = props
  function submit(event: Event): void {
    event.preventDefault()
    void form.send(onSend)
  }
  return (
    <form class="form" onSubmit={submit}>
      {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
      {children}
      <div class="form-foot">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind="primary" type="submit" reason={reason} isBusy={form.isBusy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
