import type { Plan } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { FoundPanel } from '../../parts/found-panel.tsx'
import { PageHead } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Text } from '../../parts/text.tsx'
import { announce } from '../../parts/toast.tsx'
import { filled, useForm } from '../../parts/use-form.ts'
import { useList } from '../../parts/use-list.ts'
import { lacks } from '../../session.ts'
import { compact } from '../../text/format.ts'
import { AccountTabs } from './account-tabs.tsx'
import { draftOf, limitPlaces, type Limits, limitsOf } from './limits-draft.ts'
import { LimitsForm } from './limits-form.tsx'

export function PlanList(): JSX.Element {
  const list = useList((page, signal) => admin.plans(page, signal), [])
  const { items, put } = list
  const [edited, setEdited] = useState<Plan | 'new' | undefined>()
  const [toRemove, setToRemove] = useState<Plan | undefined>()
  const reason = lacks('accounts')
  const newPlan = (
    <Button kind="primary" reason={reason} onClick={() => setEdited('new')}>
      New plan
    </Button>
  )

  return (
    <>
      <PageHead title="Projects and keys" about="A plan is a set of limits that any number of projects and keys have">
        {newPlan}
      </PageHead>
      <AccountTabs />
      <FoundPanel
        title="Plans"
        one="plan"
        many="plans"
        list={list}
        searchLabel="Find a plan"
        isFound={({ id, name }, text) => id.toLowerCase().includes(text) || name.toLowerCase().includes(text)}
        empty={
          <Empty title="There are no plans yet">
            Without a plan a project has no limits but its own.
            {newPlan}
          </Empty>
        }
        table={(rows) => (
          <Table
            caption="Plans"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Plan',
                isWide: true,
                render: ({ id, name }) => (
                  <>
                    <Text of={name} />
                    <div class="muted small mono">{id}</div>
                  </>
                ),
              },
              {
                name: 'A second',
                isNumber: true,
                render: ({ limits: { perSecond } }) => (perSecond === undefined ? '–' : compact(perSecond.credits)),
              },
              { name: 'A day', isNumber: true, render: ({ limits: { perDay } }) => <Quota of={perDay} /> },
              { name: 'A month', isNumber: true, render: ({ limits: { perMonth } }) => <Quota of={perMonth} /> },
              { name: 'Further limits', render: ({ limits }) => <Further of={limits} /> },
              {
                name: 'Actions',
                isNameless: true,
                render: (plan) => {
                  const why =
                    plan.source === 'config' ? 'The configuration file has this plan: change it there' : reason
                  return (
                    <>
                      <Button kind="quiet" label={`Edit plan ${plan.id}`} reason={why} onClick={() => setEdited(plan)}>
                        Edit
                      </Button>
                      <Button
                        kind="quiet"
                        label={`Remove plan ${plan.id}`}
                        reason={why}
                        onClick={() => setToRemove(plan)}
                      >
                        Remove
                      </Button>
                    </>
                  )
                },
              },
            ]}
          />
        )}
      />
      {edited !== undefined && (
        <PlanDialog
          of={edited === 'new' ? undefined : edited}
          taken={items ?? []}
          onClose={() => setEdited(undefined)}
          onSaved={(plan) => {
            setEdited(undefined)
            put(plan.id, plan)
            announce(`The plan ${plan.id} is saved.`)
          }}
        />
      )}
      {toRemove !== undefined && (
        <ConfirmDialog
          title={`Remove plan ${toRemove.id}?`}
          action="Remove plan"
          onClose={() => setToRemove(undefined)}
          onConfirm={async () => {
            await admin.removePlan(toRemove.id)
            put(toRemove.id, undefined)
            announce(`The plan ${toRemove.id} is removed.`)
          }}
        >
          <p>This works only while no project and no key has it.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Quota({ of }: { readonly of: Limits['perDay'] }): JSX.Element {
  if (of === undefined) return <>–</>
  return (
    <>
      {compact(of.credits)}
      {of.action === 'warn' && <span class="muted"> warns</span>}
    </>
  )
}

function Further({ of: { methods, perVisitor } }: { readonly of: Limits }): JSX.Element {
  const parts = [
    ...(methods === undefined ? [] : Object.keys(methods)),
    ...(perVisitor === undefined ? [] : ['by visitor']),
  ]
  return parts.length === 0 ? <span class="muted">none</span> : <Text of={parts.join(', ')} />
}

function PlanDialog(props: {
  readonly of: Plan | undefined
  readonly taken: readonly Plan[]
  readonly onClose: () => void
  readonly onSaved: (plan: Plan) => void
}): JSX.Element {
  const { of: plan, taken, onClose, onSaved } = props
  const first = { id: plan?.id ?? '', name: plan?.name ?? '', limits: draftOf(plan?.limits) }
  const form = useForm(first, ['name', ...limitPlaces])
  const id = form.values.id.trim()
  const isTaken = plan === undefined && taken.some((each) => each.id === id)

  async function save(): Promise<void> {
    if (isTaken) return
    const { name, limits } = form.values
    onSaved(await admin.putPlan(id, { limits: limitsOf(limits) ?? {}, ...filled({ name }) }))
  }

  return (
    <Dialog title={plan === undefined ? 'New plan' : `Edit plan ${plan.id}`} onClose={onClose} isWide>
      <SentForm form={form} action="Save plan" onCancel={onClose} onSend={save}>
        <div class="form-row">
          {plan === undefined && (
            <TextField
              label="Id"
              hint="Letters, digits, _ - . :"
              {...form.field('id')}
              error={isTaken ? 'Another plan has this id' : undefined}
              isRequired
              isMono
            />
          )}
          <TextField label="Name" hint="Empty: the id" {...form.field('name')} />
        </div>
        <LimitsForm form={form} {...form.field('limits')} />
      </SentForm>
    </Dialog>
  )
}
