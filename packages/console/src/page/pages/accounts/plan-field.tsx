import type { JSX } from 'preact'
import { admin, allOf } from '../../api/admin.ts'
import { SelectField } from '../../parts/field.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { visible } from '../../text/visible.ts'

/** Chooses a plan; the empty text is none. */
export function PlanField(props: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly hint?: string
}): JSX.Element {
  const { value: plans = [] } = useLoad((signal) => allOf((page) => admin.plans(page, signal)), [])
  const known = plans.map(({ id, name }) => ({ value: id, text: name === id ? id : `${visible(name)} (${id})` }))
  const own =
    props.value === '' || plans.some(({ id }) => id === props.value) ? [] : [{ value: props.value, text: props.value }]
  return <SelectField label="Plan" {...props} options={[{ value: '', text: 'No plan' }, ...own, ...known]} />
}
